/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interface facts by ioctl on a socket. */
#include "config.h"

#include "os/iface.h"

#include <errno.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <string.h>
#include <sys/ioctl.h>

static int iface_ioctl(int fd, unsigned long request, const char *ifname,
	struct ifreq *ret_ifr, struct sp_err *err)
{
	memset(ret_ifr, 0, sizeof(*ret_ifr));
	if (strlen(ifname) >= sizeof(ret_ifr->ifr_name))
		return sp_err_set(
			err, SP_EENV, "'%s' is too long for an interface name", ifname);
	memcpy(ret_ifr->ifr_name, ifname, strlen(ifname));
	if (ioctl(fd, request, ret_ifr) != 0)
		return sp_err_errno(err, SP_EENV, errno, "interface %s", ifname);
	return 0;
}

int iface_get(int fd, const char *ifname, struct iface *ret_iface, struct sp_err *err)
{
	struct iface i = { 0 };
	struct ifreq ifr;
	int rc;

	if ((rc = iface_ioctl(fd, SIOCGIFINDEX, ifname, &ifr, err)) != 0)
		return rc;
	i.ifindex = ifr.ifr_ifindex;
	if ((rc = iface_ioctl(fd, SIOCGIFHWADDR, ifname, &ifr, err)) != 0)
		return rc;
	if (ifr.ifr_hwaddr.sa_family != ARPHRD_ETHER &&
		ifr.ifr_hwaddr.sa_family != ARPHRD_LOOPBACK)
		return sp_err_set(err, SP_EENV,
			"interface %s does not carry Ethernet frames (hardware type %d)",
			ifname, (int)ifr.ifr_hwaddr.sa_family);
	i.is_loopback = ifr.ifr_hwaddr.sa_family == ARPHRD_LOOPBACK;
	memcpy(i.mac, ifr.ifr_hwaddr.sa_data, sizeof(i.mac));
	if ((rc = iface_ioctl(fd, SIOCGIFMTU, ifname, &ifr, err)) != 0)
		return rc;
	i.mtu = (uint32_t)ifr.ifr_mtu;
	if ((rc = iface_ioctl(fd, SIOCGIFFLAGS, ifname, &ifr, err)) != 0)
		return rc;
	i.up = (ifr.ifr_flags & IFF_UP) != 0;
	i.running = i.up && (ifr.ifr_flags & IFF_RUNNING) != 0;
	*ret_iface = i;
	return 0;
}

bool iface_is_running(int fd, const char *ifname)
{
	const int both = IFF_UP | IFF_RUNNING;
	struct sp_err err;
	struct ifreq ifr;

	if (iface_ioctl(fd, SIOCGIFFLAGS, ifname, &ifr, &err) != 0)
		return false;
	return (ifr.ifr_flags & both) == both;
}

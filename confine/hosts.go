package confine

import (
	"net"
	"net/netip"
	"strings"
)

// legalHost reports whether a name is one that a resolver and a person read alike:
// letters, digits, dashes and underscores, or an address. A name that ends in a number
// is an address to some resolvers, such as 127.1 and 0x7f000001 (WHATWG URL, "ends in
// a number").
func legalHost(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Zone() == ""
	}
	if host == "" || len(host) > 253 {
		return false
	}
	for _, label := range strings.Split(host, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	return strings.Trim(last, "0123456789") != "" && !strings.HasPrefix(last, "0x")
}

// plainHost spells a host one way: an address has many spellings, a name has two.
func plainHost(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Unmap().String()
	}
	return host
}

// reaches reports whether one of the patterns is of a host, which may have a port.
func reaches(patterns []string, hostport string) bool {
	host, port, _ := cutPort(hostport)
	host = plainHost(host)
	for _, pattern := range patterns {
		want, wantPort, hasPort := cutPort(pattern)
		if hasPort && wantPort != port {
			continue
		}
		want = plainHost(want)
		if below, ok := strings.CutPrefix(want, "*."); ok && strings.HasSuffix(host, "."+below) || want == host || want == "*" {
			return true
		}
	}
	return false
}

// cutPort takes host:port apart; [::1]:80 has brackets.
func cutPort(s string) (host, port string, ok bool) {
	if rest, bracket := strings.CutPrefix(s, "["); bracket {
		host, rest, _ = strings.Cut(rest, "]")
		port, ok = strings.CutPrefix(rest, ":")
		return host, port, ok
	}
	if strings.Count(s, ":") == 1 {
		return strings.Cut(s, ":")
	}
	return s, "", false
}

// shared are networks that are nobody's on the internet beside those that netip knows.
var shared = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("::/96"),
	netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("2002::/16"),
}

// private reports whether an address is of this machine, of a network around it, or of
// none: what a sandbox must not reach by a name that is allowed.
func private(a netip.Addr) bool {
	a = a.Unmap().WithZone("") // no prefix contains an address with a zone
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() {
		return true
	}
	for _, p := range shared {
		if p.Contains(a) {
			return true
		}
	}
	return ours(a)
}

// ours reports whether an address is one of this machine's own, which may be public.
func ours(a netip.Addr) bool {
	own, err := net.InterfaceAddrs()
	if err != nil {
		return true // nobody knows
	}
	for _, o := range own {
		if n, ok := o.(*net.IPNet); ok {
			if b, ok := netip.AddrFromSlice(n.IP); ok && b.Unmap() == a {
				return true
			}
		}
	}
	return false
}

package confine

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// newTestProxy serves a policy; the names that are allowed lead to the server at url.
func newTestProxy(t *testing.T, n Net, url string, strict bool) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := newProxy(n, l)
	p.lookup = func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	if !strict {
		p.forbidden = func(netip.Addr) bool { return false }
	}
	p.conns.Go(p.accept)
	t.Cleanup(p.close)
	return l.Addr().String()
}

// say sends a text to the proxy and returns the answer.
func say(t *testing.T, address, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, text)
	c.(*net.TCPConn).CloseWrite()
	raw, _ := io.ReadAll(c)
	return string(raw)
}

func TestProxy(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "host %s path %s", r.Host, r.URL.Path)
	}))
	defer server.Close()
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(server.URL, "http://"))
	n := Net{Mode: NetProxy, Allow: []string{"good.example", "*.wild.example", "port.example:1"}, Deny: []string{"bad.wild.example"}}
	address := newTestProxy(t, n, server.URL, false)
	get := func(host string) string { return "GET http://" + host + "/x HTTP/1.1\r\nHost: other.example\r\n\r\n" }
	for _, c := range []struct{ row, send, want string }{
		{"listed", get("good.example:" + port), "host good.example:" + port + " path /x"},
		{"case and dot", get("GOOD.example.:" + port), "path /x"},
		{"below", get("a.b.wild.example:" + port), "path /x"},
		{"the apex is not below", get("wild.example:" + port), "host not allowed"},
		{"denied", get("bad.wild.example:" + port), "host not allowed"},
		{"unlisted", get("evil.example:" + port), "403 Forbidden"},
		{"another port", get("port.example:" + port), "host not allowed"},
		{"suffix", get("notgood.example:" + port), "host not allowed"},
		{"X7 NUL", "CONNECT good.example\x00.evil:443 HTTP/1.1\r\n\r\n", "bad header"},
		{"X7 odd", get("good.example%00:" + port), "bad host name"},
		{"X7 user", get("good.example@evil.example:" + port), "bad host name"},
		{"X7 zone", get("[fe80::1%25lo]:" + port), "bad host name"},
		{"X7 number", get("0x7f000001:" + port), "bad host name"},
		{"X7 short", get("127.1:" + port), "bad host name"},
		{"X7 dash", get("good-.example-:" + port), "bad host name"},
		{"tunnel", "CONNECT good.example:" + port + " HTTP/1.1\r\n\r\nGET /y HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "host h path /y"},
		{"noise", "\x16\x03\x01", "bad header"},
	} {
		if got := say(t, address, c.send); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.row, got, c.want)
		}
	}
	second := get("good.example:"+port) + "GET /second HTTP/1.1\r\nHost: evil.example\r\n\r\n"
	if got := say(t, address, second); strings.Contains(got, "second") {
		t.Errorf("a second request went along: %q", got)
	}
}

// X6 and X8: an empty list is no network, and a listed name is no way to the machine
// itself.
func TestProxyRefuses(t *testing.T) {
	empty := newTestProxy(t, Net{Mode: NetProxy}, "", false)
	if got := say(t, empty, "CONNECT a.example:443 HTTP/1.1\r\n\r\n"); !strings.Contains(got, "host not allowed") {
		t.Errorf("X6: %q", got)
	}
	strict := newTestProxy(t, Net{Mode: NetProxy, Allow: []string{"*"}}, "", true)
	for _, host := range []string{"a.example", "127.0.0.1", "[::1]", "10.0.0.1", "169.254.169.254", "[::ffff:127.0.0.1]", "0.0.0.0", "100.64.0.1", "[fd00::1]"} {
		if got := say(t, strict, "CONNECT "+host+":443 HTTP/1.1\r\n\r\n"); !strings.Contains(got, "private") {
			t.Errorf("X8: %s: %q", host, got)
		}
	}
}

// Deny wins, however an address is spelled, and also when a name leads there.
func TestADeniedAddressIsDeniedInEverySpelling(t *testing.T) {
	n := Net{Mode: NetProxy, Allow: []string{"*"}, Deny: []string{"127.0.0.1", "2001:DB8::1"}}
	address := newTestProxy(t, n, "", false)
	for host, want := range map[string]string{
		"127.0.0.1": "not allowed", "[::ffff:127.0.0.1]": "not allowed", "[::ffff:7f00:1]": "not allowed",
		"[2001:db8:0::1]": "not allowed", "leads.example": "private or denied",
	} {
		if got := say(t, address, "CONNECT "+host+":443 HTTP/1.1\r\n\r\n"); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", host, got, want)
		}
	}
}

func TestOwnAddressesArePrivate(t *testing.T) {
	own, err := net.InterfaceAddrs()
	if err != nil || len(own) == 0 {
		t.Fatalf("no addresses: %v", err)
	}
	for _, o := range own {
		if a, ok := netip.AddrFromSlice(o.(*net.IPNet).IP); !ok || !ours(a.Unmap()) || !private(a) {
			t.Errorf("%v is not ours", o)
		}
	}
	if ours(netip.MustParseAddr("192.0.2.1")) || !private(netip.MustParseAddr("64:ff9b::a00:1%lo")) {
		t.Error("an address of nobody is ours, or a zone hides one")
	}
}

func TestSOCKS(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "path "+r.URL.Path) }))
	defer server.Close()
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(server.URL, "http://"))
	address := newTestProxy(t, Net{Mode: NetProxy, Allow: []string{"good.example"}}, server.URL, false)
	for host, want := range map[string]byte{"good.example": 0, "evil.example": 2, "good.example\x00": 2} {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		var n int
		fmt.Sscan(port, &n)
		c.Write([]byte{5, 1, 0})
		c.Write(append(append([]byte{5, 1, 0, 3, byte(len(host))}, host...), byte(n>>8), byte(n)))
		answer := make([]byte, 12)
		if _, err := io.ReadFull(c, answer); err != nil || answer[3] != want {
			t.Errorf("%q: %v, %v", host, answer, err)
		}
		if want == 0 {
			io.WriteString(c, "GET /s HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
			raw, _ := io.ReadAll(c)
			if !strings.Contains(string(raw), "path /s") {
				t.Errorf("through the tunnel: %q", raw)
			}
		}
		c.Close()
	}
}

func FuzzProxyHead(f *testing.F) {
	f.Add("GET http://a/ HTTP/1.1\r\nHost: b\r\n\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := readHead(bufio.NewReaderSize(strings.NewReader(text), maxHeader))
		if err != nil {
			return
		}
		method, _, version := h.request()
		out := h.rewritten(method, "/", version, "host")
		if strings.Count(strings.ToLower(out), "\nhost:") != 1 || !strings.HasSuffix(out, "\r\n\r\n") || strings.Count(out, "\r\n\r\n") != 1 {
			t.Errorf("%q became %q", text, out)
		}
	})
}

func TestTighten(t *testing.T) {
	wide := Policy{Write: []string{"/w"}, Net: Net{Mode: NetHost}, Limits: Limits{CPU: 10}}
	p := wide.Tighten(Policy{Tier: Full, Write: []string{"/w/sub", "/other"}, Net: Net{Mode: NetProxy, Allow: []string{"a"}}, Hide: []string{"/h"}, Limits: Limits{CPU: 20, FileSize: 5}})
	if fmt.Sprint(p) != fmt.Sprint(Policy{Tier: Full, Write: []string{"/w/sub"}, Hide: []string{"/h"}, Net: Net{Mode: NetProxy, Allow: []string{"a"}}, Limits: Limits{CPU: 10, FileSize: 5}}) {
		t.Errorf("tightened: %+v", p)
	}
	q := p.Tighten(Policy{Net: Net{Mode: NetProxy, Allow: []string{"a", "b"}}})
	if len(q.Net.Allow) != 1 || q.Tier != Full || len(q.Write) != 1 {
		t.Errorf("X3: a later layer widened it: %+v", q)
	}
	narrow := Net{Mode: NetProxy, Allow: []string{"*.a.example", "b.example:443", "c.example"}}
	wider := Net{Mode: NetProxy, Allow: []string{"x.a.example", "b.example", "d.example"}}
	for _, n := range []Net{narrow.tighten(wider), wider.tighten(narrow)} {
		if fmt.Sprint(n.Allow) != "[b.example:443 x.a.example]" {
			t.Errorf("in both: %v", n.Allow)
		}
	}
}

package confine

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// proxyPort is where the proxy is found inside a sandbox.
const proxyPort = 3128

// Bounds on the proxy.
const (
	maxConnections = 64
	maxHeader      = 32 << 10
	headerTime     = 30 * time.Second
	dialTime       = 15 * time.Second
)

// ProxyEnv are the variables that tell programs in a sandbox of its proxy.
func ProxyEnv() []string {
	http, socks := fmt.Sprintf("http://127.0.0.1:%d", proxyPort), fmt.Sprintf("socks5h://127.0.0.1:%d", proxyPort)
	return []string{
		"HTTP_PROXY=" + http, "HTTPS_PROXY=" + http, "http_proxy=" + http, "https_proxy=" + http,
		"ALL_PROXY=" + socks, "all_proxy=" + socks, "NO_PROXY=", "no_proxy=",
	}
}

// proxy answers what connects inside a sandbox: HTTP, CONNECT and SOCKS5, to the hosts
// that are allowed. A name is looked up once, and what it leads to is what is dialled.
type proxy struct {
	net       Net
	listener  net.Listener
	lookup    func(ctx context.Context, host string) ([]netip.Addr, error)
	forbidden func(netip.Addr) bool

	ctx   context.Context
	stop  context.CancelFunc
	slots chan struct{}
	conns sync.WaitGroup
}

// serve answers on a listening socket that a helper has handed out.
func serve(fd int, n Net) (*proxy, error) {
	f := os.NewFile(uintptr(fd), "proxy")
	defer f.Close()
	l, err := net.FileListener(f)
	if err != nil {
		return nil, err
	}
	p := newProxy(n, l)
	p.conns.Go(p.accept)
	return p, nil
}

func newProxy(n Net, l net.Listener) *proxy {
	p := &proxy{net: n, listener: l, forbidden: private, slots: make(chan struct{}, maxConnections)}
	p.lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
		return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	}
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p
}

// close ends the proxy and all that goes through it.
func (p *proxy) close() {
	if p == nil {
		return
	}
	p.stop()
	p.listener.Close()
	p.conns.Wait()
}

func (p *proxy) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		select {
		case p.slots <- struct{}{}:
		default:
			c.Close() // too many at once
			continue
		}
		p.conns.Go(func() {
			defer func() { <-p.slots }()
			defer c.Close()
			stop := context.AfterFunc(p.ctx, func() { c.Close() })
			defer stop()
			p.answer(c)
		})
	}
}

func (p *proxy) answer(c net.Conn) {
	c.SetDeadline(time.Now().Add(headerTime))
	r := bufio.NewReaderSize(c, maxHeader)
	first, err := r.Peek(1)
	switch {
	case err != nil:
	case first[0] == 5:
		p.socks(c, r)
	default:
		p.http(c, r)
	}
}

// errRefused is why a connection is not made.
type errRefused struct{ reason string }

func (e errRefused) Error() string { return e.reason }

// dial connects to a host, if the policy lets it.
func (p *proxy) dial(host, port string) (net.Conn, error) {
	host = plainHost(host)
	n, err := strconv.ParseUint(port, 10, 16)
	switch at := net.JoinHostPort(host, port); {
	case err != nil || n == 0:
		return nil, errRefused{"bad port"}
	case !legalHost(host):
		return nil, errRefused{"bad host name"}
	case reaches(p.net.Deny, at) || !reaches(p.net.Allow, at):
		return nil, errRefused{"host not allowed"}
	}
	ctx, cancel := context.WithTimeout(p.ctx, dialTime)
	defer cancel()
	addresses, err := p.addresses(ctx, host, port)
	if err != nil {
		return nil, err
	}
	var dialer net.Dialer
	for _, a := range addresses {
		c, dialErr := dialer.DialContext(ctx, "tcp", netip.AddrPortFrom(a, uint16(n)).String())
		if dialErr == nil {
			return c, nil
		}
		err = errors.Join(err, dialErr)
	}
	return nil, err
}

// addresses are those of a host that may be dialled: neither private ones nor ones that
// the policy denies by number.
func (p *proxy) addresses(ctx context.Context, host, port string) ([]netip.Addr, error) {
	all := []netip.Addr{}
	if a, err := netip.ParseAddr(host); err == nil {
		all = append(all, a)
	} else if all, err = p.lookup(ctx, host); err != nil {
		return nil, err
	}
	var out []netip.Addr
	for _, a := range all {
		a = a.Unmap()
		if !p.forbidden(a) && !reaches(p.net.Deny, net.JoinHostPort(a.String(), port)) {
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		return nil, errRefused{"the host's address is private or denied"}
	}
	return out, nil
}

// http answers CONNECT, and plain requests, one for each connection.
func (p *proxy) http(c net.Conn, r *bufio.Reader) {
	head, err := readHead(r)
	if err != nil {
		refuse(c, "400 Bad Request", err)
		return
	}
	method, target, version := head.request()
	host, path := target, ""
	port := "443"
	if method != "CONNECT" {
		rest, ok := strings.CutPrefix(target, "http://")
		if !ok {
			refuse(c, "400 Bad Request", errRefused{"want CONNECT or an http:// URL"})
			return
		}
		host, path, _ = strings.Cut(rest, "/")
		path, port = "/"+path, "80"
	}
	name, explicit, ok := cutPort(host)
	if ok {
		port = explicit
	}
	up, err := p.dial(name, port)
	if err != nil {
		refuse(c, "403 Forbidden", err)
		return
	}
	defer up.Close()
	if method == "CONNECT" {
		io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n")
	} else {
		io.WriteString(up, head.rewritten(method, path, version, host))
	}
	p.join(c, r, up)
}

// join passes bytes both ways until both sides are done.
func (p *proxy) join(c net.Conn, r io.Reader, up net.Conn) {
	c.SetDeadline(time.Time{})
	stop := context.AfterFunc(p.ctx, func() { up.Close() })
	defer stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		io.Copy(up, r)
		closeWrite(up)
	}()
	io.Copy(c, up)
	closeWrite(c)
	c.SetReadDeadline(time.Now().Add(time.Second))
	<-done
}

func closeWrite(c net.Conn) {
	if t, ok := c.(interface{ CloseWrite() error }); ok {
		t.CloseWrite()
		return
	}
	c.Close()
}

// refuse says why; the reason has no text of the other side in it.
func refuse(c net.Conn, status string, err error) {
	reason := "cannot connect"
	var r errRefused
	if errors.As(err, &r) {
		reason = r.reason
	}
	fmt.Fprintf(c, "HTTP/1.1 %s\r\nContent-Type: text/plain\r\nX-Proxy-Error: %s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s\n", status, reason, len(reason)+1, reason)
}

// head is a request line and headers.
type head struct{ lines []string }

func readHead(r *bufio.Reader) (head, error) {
	var h head
	size := 0
	for {
		line, err := r.ReadSlice('\n')
		if size += len(line); err != nil || size > maxHeader {
			return h, errRefused{"bad header"}
		}
		text := strings.TrimRight(string(line), "\r\n")
		if strings.ContainsAny(text, "\r\x00") {
			return h, errRefused{"bad header"}
		}
		if text == "" {
			break
		}
		h.lines = append(h.lines, text)
	}
	if len(h.lines) == 0 || len(strings.Fields(h.lines[0])) != 3 {
		return h, errRefused{"bad request line"}
	}
	return h, nil
}

func (h head) request() (method, target, version string) {
	fields := strings.Fields(h.lines[0])
	return fields[0], fields[1], fields[2]
}

// rewritten is the request as the host itself wants it. It names the host that was
// checked, and no second request can follow.
func (h head) rewritten(method, path, version, host string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s\r\nHost: %s\r\nConnection: close\r\n", method, path, version, host)
	for _, line := range h.lines[1:] {
		name, _, ok := strings.Cut(line, ":")
		switch strings.ToLower(name) {
		case "host", "connection", "proxy-connection", "proxy-authorization", "keep-alive", "upgrade":
			continue
		}
		if ok && line[0] != ' ' && line[0] != '\t' {
			b.WriteString(line + "\r\n")
		}
	}
	return b.String() + "\r\n"
}

// socks answers version 5 of SOCKS (RFC 1928): connections, without authentication.
func (p *proxy) socks(c net.Conn, r *bufio.Reader) {
	var start [2]byte
	if _, err := io.ReadFull(r, start[:]); err != nil {
		return
	}
	if _, err := r.Discard(int(start[1])); err != nil {
		return
	}
	c.Write([]byte{5, 0})
	host, port, code := socksTarget(r)
	if code == 0 {
		up, err := p.dial(host, port)
		if err == nil {
			defer up.Close()
			c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
			p.join(c, r, up)
			return
		}
		code = 4 // host unreachable
		if errors.As(err, new(errRefused)) {
			code = 2 // not allowed
		}
	}
	c.Write([]byte{5, code, 0, 1, 0, 0, 0, 0, 0, 0})
}

// socksTarget reads where to connect to, or says what is wrong.
func socksTarget(r *bufio.Reader) (host, port string, code byte) {
	var request [4]byte
	if _, err := io.ReadFull(r, request[:]); err != nil || request[0] != 5 {
		return "", "", 1
	}
	if request[1] != 1 {
		return "", "", 7 // only CONNECT
	}
	size := map[byte]int{1: 4, 4: 16}[request[3]]
	if request[3] == 3 {
		n, err := r.ReadByte()
		if err != nil {
			return "", "", 1
		}
		size = int(n)
	}
	if size == 0 {
		return "", "", 8 // no such kind of address
	}
	raw := make([]byte, size+2)
	if _, err := io.ReadFull(r, raw); err != nil {
		return "", "", 1
	}
	host = string(raw[:size])
	if request[3] != 3 {
		a, _ := netip.AddrFromSlice(raw[:size])
		host = a.String()
	}
	return host, strconv.Itoa(int(binary.BigEndian.Uint16(raw[size:]))), 0
}

package config

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/scope"
)

func TestSecretsDoNotReachTheCollector(t *testing.T) {
	var mu sync.Mutex
	var got bytes.Buffer
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		io.Copy(&got, r.Body)
	}))
	defer collector.Close()
	s := scope.New(t.Context(), "test")
	c := &Config{logTo: io.Discard}
	c.Telemetry.Endpoint, c.Telemetry.Content = collector.URL, true
	p, err := c.telemetry(s)
	if err != nil {
		t.Fatal(err)
	}
	r := toolfall.New()
	if _, err := r.Attach(s, p); err != nil {
		t.Fatal(err)
	}

	const key = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"
	r.Execute(t.Context(), toolfall.Call{ID: "1", Name: "bash", Arguments: []byte(`{"command":"echo ` + key + `"}`)})
	s.Close()

	mu.Lock()
	defer mu.Unlock()
	if !bytes.Contains(got.Bytes(), []byte("gen_ai.tool.call.arguments")) {
		t.Error("the collector got no content")
	}
	if bytes.Contains(got.Bytes(), []byte(key)) {
		t.Error("the collector got the key")
	}
}

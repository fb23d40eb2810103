// Package otlp sends spans and metrics to an OpenTelemetry collector, as JSON over HTTP.
//
// It is the part of OTLP that a command needs. The exporters of OpenTelemetry itself
// bring gRPC and Protocol Buffers along, which is more than the rest of the program.
// The format is that of https://opentelemetry.io/docs/specs/otlp/: the field names of
// the protocol in lower camel case, identifiers in hexadecimal, and 64-bit integers as
// strings.
package otlp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
)

// Client sends to one collector.
type Client struct {
	Endpoint string            // such as http://localhost:4318
	Headers  map[string]string // of each request, such as one that authorizes
	HTTP     *http.Client      // http.DefaultClient when nil
}

// sendTime bounds a request: whoever is told must not hold up the program's end.
const sendTime = 5 * time.Second

// post sends a message to the path of its kind.
func (c *Client) post(ctx context.Context, kind string, message any) error {
	raw, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("otlp: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(c.Endpoint, "/")+"/v1/"+kind, bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("otlp: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	for name, value := range c.Headers {
		req.Header.Set(name, value)
	}
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("otlp: %w", err)
	}
	defer resp.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10)) // so that the connection is used again
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("otlp: %s answers %s: %q", c.Endpoint, resp.Status, said)
	}
	return nil
}

// pair is an attribute.
type pair struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

// value is one of these.
type value struct {
	String *string  `json:"stringValue,omitempty"`
	Bool   *bool    `json:"boolValue,omitempty"`
	Int    *string  `json:"intValue,omitempty"`
	Double *float64 `json:"doubleValue,omitempty"`
}

func pairs(list []attribute.KeyValue) []pair {
	out := make([]pair, 0, len(list))
	for _, kv := range list {
		out = append(out, pair{string(kv.Key), valueOf(kv.Value)})
	}
	return out
}

func valueOf(v attribute.Value) value {
	switch v.Type() {
	case attribute.BOOL:
		b := v.AsBool()
		return value{Bool: &b}
	case attribute.INT64:
		n := strconv.FormatInt(v.AsInt64(), 10)
		return value{Int: &n}
	case attribute.FLOAT64:
		f := v.AsFloat64()
		return value{Double: &f}
	default: // lists are told as their text: none of ours has any
		s := v.String()
		return value{String: &s}
	}
}

// source is whom what is told is about.
type source struct {
	Attributes []pair `json:"attributes"`
}

func sourceOf(r *resource.Resource) source { return source{pairs(r.Attributes())} }

// library is who tells.
type library struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

func libraryOf(s instrumentation.Scope) library { return library{s.Name, s.Version} }

func nanos(t time.Time) string {
	if t.IsZero() {
		return "0"
	}
	return strconv.FormatInt(t.UnixNano(), 10)
}

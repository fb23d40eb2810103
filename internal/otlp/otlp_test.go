package otlp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	otelmetric "go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// collector keeps what it is sent, by path.
func collector(t *testing.T) (c *Client, sent map[string]map[string]any) {
	t.Helper()
	sent = make(map[string]map[string]any)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		var v map[string]any
		if err := errors.Join(err, json.Unmarshal(raw, &v)); err != nil || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("X-Key") != "k" {
			t.Errorf("%v, %v: %s", err, r.Header, raw)
		}
		sent[r.URL.Path] = v
		io.WriteString(w, "{}")
	}))
	t.Cleanup(server.Close)
	return &Client{Endpoint: server.URL + "/", Headers: map[string]string{"X-Key": "k"}}, sent
}

// at follows names and indices into what was sent.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			l, _ := v.([]any)
			if p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

func TestSpansAreSent(t *testing.T) {
	c, sent := collector(t)
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(Spans{c}))
	ctx, outer := provider.Tracer("lib", trace.WithInstrumentationVersion("1")).Start(t.Context(), "outer")
	_, inner := provider.Tracer("lib").Start(ctx, "inner", trace.WithAttributes(attribute.String("s", "x"), attribute.Int("n", 1<<60), attribute.Bool("b", true), attribute.Float64("f", 1.5)))
	inner.AddEvent("decision", trace.WithAttributes(attribute.String("by", "gate")))
	inner.SetStatus(codes.Error, "DENIED")
	inner.End()
	got := at(sent["/v1/traces"], "resourceSpans", 0, "scopeSpans", 0, "spans", 0)
	if at(got, "name") != "inner" || at(got, "parentSpanId") != outer.SpanContext().SpanID().String() || at(got, "traceId") != outer.SpanContext().TraceID().String() ||
		at(got, "kind") != 1.0 || at(got, "status", "code") != 2.0 || at(got, "status", "message") != "DENIED" || at(got, "events", 0, "attributes", 0, "value", "stringValue") != "gate" {
		t.Errorf("%v", got)
	}
	if at(got, "attributes", 0, "value", "stringValue") != "x" || at(got, "attributes", 1, "value", "intValue") != "1152921504606846976" ||
		at(got, "attributes", 2, "value", "boolValue") != true || at(got, "attributes", 3, "value", "doubleValue") != 1.5 {
		t.Errorf("attributes %v", at(got, "attributes"))
	}
	if start, ok := at(got, "startTimeUnixNano").(string); !ok || len(start) != 19 {
		t.Errorf("start %v", start)
	}
	outer.End()
	if name := at(sent["/v1/traces"], "resourceSpans", 0, "scopeSpans", 0, "scope", "version"); name != "1" {
		t.Errorf("scope version %v", name)
	}
}

func TestMetricsAreSent(t *testing.T) {
	c, sent := collector(t)
	reader := sdkmetric.NewPeriodicReader(Metrics{c})
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	m := provider.Meter("lib")
	h, err := m.Float64Histogram("took", otelmetric.WithUnit("s"), otelmetric.WithExplicitBucketBoundaries(1, 2))
	u, err2 := m.Int64UpDownCounter("active")
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	h.Record(t.Context(), 1.5, otelmetric.WithAttributes(attribute.String("tool", "x")))
	u.Add(t.Context(), 3)
	if err := provider.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := at(sent["/v1/metrics"], "resourceMetrics", 0, "scopeMetrics", 0, "metrics")
	if at(got, 0, "name") != "took" || at(got, 0, "unit") != "s" || at(got, 0, "histogram", "aggregationTemporality") != 2.0 ||
		at(got, 0, "histogram", "dataPoints", 0, "bucketCounts", 1) != "1" || at(got, 0, "histogram", "dataPoints", 0, "count") != "1" {
		t.Errorf("%v", at(got, 0))
	}
	if at(got, 1, "sum", "dataPoints", 0, "asInt") != "3" || at(got, 1, "sum", "isMonotonic") != false {
		t.Errorf("%v", at(got, 1))
	}
}

func TestAnUnwillingCollectorIsAnError(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, strings.Repeat("no ", 10_000), http.StatusBadRequest)
	}))
	defer server.Close()
	err := (&Client{Endpoint: server.URL}).post(context.Background(), "traces", spanMessage{})
	if err == nil || !strings.Contains(err.Error(), "400") || len(err.Error()) > 2000 {
		t.Errorf("%v", err)
	}
	if libraryOf(instrumentation.Scope{Name: "n"}).Name != "n" {
		t.Error("the scope has no name")
	}
	if err := (&Client{Endpoint: "http://127.0.0.1:1"}).post(context.Background(), "traces", spanMessage{}); err == nil {
		t.Error("nobody listens, and it was sent")
	}
}

package config

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/internal/otlp"
	"github.com/toolfall/toolfall/internal/secret"
	"github.com/toolfall/toolfall/plugin/telemetry"
	"github.com/toolfall/toolfall/scope"
)

// flushTime bounds how long the end of the program waits for a collector.
const flushTime = 5 * time.Second

// telemetry makes the plugin that tells others about calls, and in s what sends it. The
// variables that OpenTelemetry's own programs read count where the file says nothing.
func (c *Config) telemetry(s *scope.Scope) (toolfall.Plugin, error) {
	conf := telemetry.Config{Content: c.Telemetry.Content, Redact: secret.Text, Log: c.logger()} // what a span holds leaves the machine
	endpoint := cmp.Or(c.Telemetry.Endpoint, os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"))
	if endpoint == "" || strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return telemetry.New(conf), nil
	}
	if u, err := url.Parse(endpoint); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return toolfall.Plugin{}, fmt.Errorf("telemetry.endpoint %q: want a URL such as http://localhost:4318", endpoint)
	}
	client := &otlp.Client{Endpoint: endpoint, Headers: headers(os.Getenv("OTEL_EXPORTER_OTLP_HEADERS"))}
	about := resource.NewSchemaless(attribute.String("service.name", cmp.Or(os.Getenv("OTEL_SERVICE_NAME"), "toolfall")))
	spans := sdktrace.NewTracerProvider(sdktrace.WithResource(about), sdktrace.WithBatcher(otlp.Spans{Client: client}))
	metrics := sdkmetric.NewMeterProvider(sdkmetric.WithResource(about), sdkmetric.WithReader(sdkmetric.NewPeriodicReader(otlp.Metrics{Client: client})))
	s.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), flushTime)
		defer cancel()
		if err := errors.Join(spans.Shutdown(ctx), metrics.Shutdown(ctx)); err != nil {
			slog.New(slog.NewTextHandler(c.logTo, nil)).Warn("telemetry was not sent", "why", err)
		}
	})
	conf.Tracer, conf.Meter = spans, metrics
	return telemetry.New(conf), nil
}

// logger is the log that the file asks for, or nil.
func (c *Config) logger() *slog.Logger {
	switch c.Telemetry.Log {
	case "text":
		return slog.New(slog.NewTextHandler(c.logTo, nil))
	case "json":
		return slog.New(slog.NewJSONHandler(c.logTo, nil))
	}
	return nil
}

// headers reads a list such as a=b,c=d, with values as in a URL.
func headers(list string) map[string]string {
	out := make(map[string]string)
	for part := range strings.SplitSeq(list, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if plain, err := url.QueryUnescape(value); ok && err == nil {
			out[name] = plain
		}
	}
	return out
}

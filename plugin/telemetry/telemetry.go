// Package telemetry tells OpenTelemetry and a log about every call.
//
// [New] makes a plugin with one middleware, "telemetry", in the stage Observe. Traces
// and metrics follow OpenTelemetry's conventions for generative AI: a span named
// "execute_tool" and the tool for each call, whose events are what was reported on the
// way, and a histogram gen_ai.execute_tool.duration. What a call was given and returned
// is told only where the configuration says so. A plugin without a provider or a log
// attaches nothing.
package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/scope"
)

// Name is that of the plugin and its middleware.
const Name = "telemetry"

// instrumentation is what spans and metrics are told to come from.
const instrumentation = "github.com/toolfall/toolfall"

// Config sets up the plugin. What is nil is not told.
type Config struct {
	Tracer trace.TracerProvider
	Meter  metric.MeterProvider
	Log    *slog.Logger

	// Content says that spans have the arguments and the text of the result, which may
	// hold anything. Redact, when not nil, is what becomes of both.
	Content bool
	Redact  func(string) string
}

// New returns the plugin.
func New(c Config) toolfall.Plugin {
	return toolfall.Plugin{Name: Name, Attach: func(s *scope.Scope, r *toolfall.Registry) error {
		t := &teller{content: c.Content, redact: c.Redact, log: c.Log}
		if c.Tracer != nil {
			t.tracer = c.Tracer.Tracer(instrumentation)
		}
		if c.Meter != nil {
			if err := t.measure(c.Meter.Meter(instrumentation)); err != nil {
				return err
			}
		}
		if t.tracer == nil && t.duration == nil && t.log == nil {
			return nil
		}
		r.Use(s, toolfall.Middleware{Name: Name, Stage: toolfall.Observe, Before: true, Wrap: t.wrap})
		return nil
	}}
}

// teller tells.
type teller struct {
	tracer   trace.Tracer            // nil for no traces
	duration metric.Float64Histogram // nil for no metrics
	active   metric.Int64UpDownCounter
	log      *slog.Logger // nil for no log
	content  bool
	redact   func(string) string
}

// boundaries are those of the durations, in seconds, that the conventions give.
var boundaries = []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}

func (t *teller) measure(m metric.Meter) (err error) {
	var errs [2]error
	t.duration, errs[0] = m.Float64Histogram("gen_ai.execute_tool.duration", metric.WithUnit("s"),
		metric.WithDescription("How long calls of tools take."), metric.WithExplicitBucketBoundaries(boundaries...))
	t.active, errs[1] = m.Int64UpDownCounter("toolfall.calls.active", metric.WithUnit("{call}"),
		metric.WithDescription("Calls that have begun and not ended."))
	return errors.Join(errs[:]...)
}

func (t *teller) wrap(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	began := time.Now()
	ctx, span := t.begin(ctx, c)
	if t.active != nil {
		t.active.Add(ctx, 1)
		defer t.active.Add(ctx, -1)
	}
	r := next(ctx, c)
	code := toolfall.Code(r)
	t.end(span, c, r, code)
	took := time.Since(began)
	if t.duration != nil {
		t.duration.Record(ctx, took.Seconds(), metric.WithAttributes(measured(c, code)...))
	}
	t.write(ctx, c, code, took)
	return r
}

// begin starts the span of a call. Its events are the reports.
func (t *teller) begin(ctx context.Context, c toolfall.Call) (context.Context, trace.Span) {
	if t.tracer == nil {
		return ctx, nil
	}
	attributes := []attribute.KeyValue{
		attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", c.Name),
		attribute.String("gen_ai.tool.call.id", c.ID), attribute.String("gen_ai.tool.type", "function"),
	}
	if c.Agent != "" {
		attributes = append(attributes, attribute.String("gen_ai.agent.name", c.Agent))
	}
	ctx, span := t.tracer.Start(ctx, "execute_tool "+c.Name, trace.WithAttributes(attributes...))
	if !span.IsRecording() {
		return ctx, span
	}
	return toolfall.Listen(ctx, func(r toolfall.Report) { event(span, r) }), span
}

// event adds a report to a span, unless it is output, of which there may be much. Why it
// happened is added for decisions alone: the texts of faults may quote anything.
func event(span trace.Span, r toolfall.Report) {
	if r.Kind == toolfall.ReportedOutput || r.Kind == toolfall.ReportedProgress {
		return
	}
	attributes := []attribute.KeyValue{attribute.String("toolfall.by", r.By)}
	if r.Kind == toolfall.ReportedDecision {
		attributes = append(attributes, attribute.String("toolfall.effect", r.Text), attribute.String("toolfall.rule", r.Why))
	}
	span.AddEvent(r.Kind, trace.WithAttributes(attributes...))
}

func (t *teller) end(span trace.Span, c toolfall.Call, r toolfall.Result, code string) {
	if span == nil {
		return
	}
	if t.content {
		arguments := string(c.Arguments)
		if r.Record != nil {
			arguments = string(r.Record.Arguments)
		}
		span.SetAttributes(attribute.String("gen_ai.tool.call.arguments", t.redacted(arguments)), attribute.String("gen_ai.tool.call.result", t.redacted(r.Text())))
	}
	if code != "" {
		span.SetAttributes(attribute.String("error.type", code))
		span.SetStatus(codes.Error, code)
	}
	span.End()
}

// maxContent is how much of arguments and results is told.
const maxContent = 8 << 10

func (t *teller) redacted(text string) string {
	if t.redact != nil {
		text = t.redact(text)
	}
	if len(text) > maxContent {
		text = text[:maxContent]
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// measured are the attributes of a metric, of which there are few values: a name that no
// tool has is a model's invention.
func measured(c toolfall.Call, code string) []attribute.KeyValue {
	name := c.Name
	if code == toolfall.UnknownTool {
		name = "_OTHER"
	}
	out := []attribute.KeyValue{attribute.String("gen_ai.tool.name", name)}
	if code != "" {
		out = append(out, attribute.String("error.type", code))
	}
	return out
}

// write logs a call.
func (t *teller) write(ctx context.Context, c toolfall.Call, code string, took time.Duration) {
	if t.log == nil {
		return
	}
	level, fields := slog.LevelInfo, []slog.Attr{slog.String("tool", c.Name), slog.String("call", c.ID), slog.Duration("took", took)}
	if c.Agent != "" {
		fields = append(fields, slog.String("agent", c.Agent))
	}
	if code != "" {
		level, fields = slog.LevelWarn, append(fields, slog.String("code", code))
	}
	t.log.LogAttrs(ctx, level, "call", fields...)
}

package otlp

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// Spans sends spans. It is an exporter of the SDK.
type Spans struct{ *Client }

type spanMessage struct {
	ResourceSpans []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource source       `json:"resource"`
	Scopes   []scopeSpans `json:"scopeSpans"`
}

type scopeSpans struct {
	Scope library `json:"scope"`
	Spans []span  `json:"spans"`
}

type span struct {
	TraceID    string  `json:"traceId"`
	SpanID     string  `json:"spanId"`
	ParentID   string  `json:"parentSpanId,omitempty"`
	Name       string  `json:"name"`
	Kind       int     `json:"kind"`
	Start      string  `json:"startTimeUnixNano"`
	End        string  `json:"endTimeUnixNano"`
	Attributes []pair  `json:"attributes,omitempty"`
	Events     []event `json:"events,omitempty"`
	Status     status  `json:"status"`
}

type event struct {
	Time       string `json:"timeUnixNano"`
	Name       string `json:"name"`
	Attributes []pair `json:"attributes,omitempty"`
}

type status struct {
	Code    int    `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// ExportSpans sends them in one request.
func (s Spans) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	out := resourceSpans{Resource: sourceOf(spans[0].Resource())} // one provider has one resource
	index := make(map[instrumentation.Scope]int)
	for _, s := range spans {
		i, ok := index[s.InstrumentationScope()]
		if !ok {
			i = len(out.Scopes)
			index[s.InstrumentationScope()] = i
			out.Scopes = append(out.Scopes, scopeSpans{Scope: libraryOf(s.InstrumentationScope())})
		}
		out.Scopes[i].Spans = append(out.Scopes[i].Spans, spanOf(s))
	}
	return s.post(ctx, "traces", spanMessage{[]resourceSpans{out}})
}

// Shutdown does nothing: nothing is held.
func (s Spans) Shutdown(context.Context) error { return nil }

// statuses are the protocol's numbers, in which the last two are the other way round.
var statuses = map[codes.Code]int{codes.Unset: 0, codes.Ok: 1, codes.Error: 2}

func spanOf(s sdktrace.ReadOnlySpan) span {
	out := span{
		TraceID: s.SpanContext().TraceID().String(), SpanID: s.SpanContext().SpanID().String(),
		Name: s.Name(), Kind: int(s.SpanKind()), // the numbers are the protocol's
		Start: nanos(s.StartTime()), End: nanos(s.EndTime()), Attributes: pairs(s.Attributes()),
		Status: status{statuses[s.Status().Code], s.Status().Description},
	}
	if p := s.Parent(); p.SpanID().IsValid() {
		out.ParentID = p.SpanID().String()
	}
	for _, e := range s.Events() {
		out.Events = append(out.Events, event{nanos(e.Time), e.Name, pairs(e.Attributes)})
	}
	return out
}

var errKind = errors.New("otlp: a kind of metric that is not told")

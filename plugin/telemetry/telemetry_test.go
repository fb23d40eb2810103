package telemetry_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/plugin/telemetry"
	"github.com/toolfall/toolfall/scope"
	"github.com/toolfall/toolfall/toolfalltest"
)

// tools are one that works and reports, and one that fails.
func tools() toolfall.Plugin {
	return toolfall.Plugin{Name: "tools", Attach: func(s *scope.Scope, r *toolfall.Registry) error {
		run := func(fail bool) func(context.Context, toolfall.Call) ([]toolfall.Content, error) {
			return func(ctx context.Context, c toolfall.Call) ([]toolfall.Content, error) {
				toolfall.Tell(ctx, toolfall.Report{Kind: toolfall.ReportedDecision, By: "permission", Text: "allow", Why: "a rule"})
				toolfall.Tell(ctx, toolfall.Report{Kind: toolfall.ReportedOutput, Text: "much"})
				if fail {
					return nil, errors.New("no: secret-value")
				}
				return toolfall.Text("done"), nil
			}
		}
		_, err := r.Register(s, toolfall.Definition{Schema: toolfall.Schema{Name: "work"}, Execute: run(false)}, toolfall.Definition{Schema: toolfall.Schema{Name: "fail"}, Execute: run(true)})
		return err
	}}
}

func TestACallIsASpan(t *testing.T) {
	for _, content := range []bool{false, true} {
		spans := tracetest.NewInMemoryExporter()
		provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
		reg := toolfalltest.Attach(t, telemetry.New(telemetry.Config{Tracer: provider, Content: content, Redact: func(s string) string { return strings.ReplaceAll(s, "pw", "***") }}), tools())
		reg.Execute(t.Context(), toolfall.Call{ID: "7", Name: "work", Agent: "main", Arguments: []byte(`{"k":"pw"}`)})
		reg.Execute(t.Context(), toolfall.Call{ID: "8", Name: "fail"})
		got := spans.GetSpans()
		if len(got) != 2 || got[0].Name != "execute_tool work" || got[1].Status.Description != toolfall.ToolError {
			t.Fatalf("%+v", got)
		}
		var told []string
		for _, kv := range got[0].Attributes {
			told = append(told, string(kv.Key)+"="+kv.Value.String())
		}
		for _, want := range []string{"gen_ai.operation.name=execute_tool", "gen_ai.tool.name=work", "gen_ai.tool.call.id=7", "gen_ai.agent.name=main"} {
			if !slices.Contains(told, want) {
				t.Errorf("%v, without %s", told, want)
			}
		}
		if got := strings.Join(told, " "); strings.Contains(got, "done") != content || strings.Contains(got, "pw") {
			t.Errorf("content %v: %s", content, got)
		}
		if events := got[0].Events; len(events) != 1 || events[0].Name != "decision" || events[0].Attributes[2].Value.AsString() != "a rule" {
			t.Errorf("events %+v", events)
		}
	}
}

func TestDurationsAreMeasured(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	reg := toolfalltest.Attach(t, telemetry.New(telemetry.Config{Meter: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))}), tools())
	for _, name := range []string{"work", "work", "fail", "invented", "another"} {
		reg.Execute(t.Context(), toolfall.Call{Name: name})
	}
	var rm metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &rm); err != nil {
		t.Fatal(err)
	}
	counts := map[string]uint64{}
	for _, m := range rm.ScopeMetrics[0].Metrics {
		switch data := m.Data.(type) {
		case metricdata.Histogram[float64]:
			for _, p := range data.DataPoints {
				name, _ := p.Attributes.Value("gen_ai.tool.name")
				code, _ := p.Attributes.Value("error.type")
				counts[name.AsString()+" "+code.AsString()] = p.Count
			}
		case metricdata.Sum[int64]:
			if data.DataPoints[0].Value != 0 {
				t.Errorf("%d calls are active", data.DataPoints[0].Value)
			}
		}
	}
	if counts["work "] != 2 || counts["fail TOOL_ERROR"] != 1 || counts["_OTHER UNKNOWN_TOOL"] != 2 {
		t.Errorf("%v", counts)
	}
}

func TestACallIsALine(t *testing.T) {
	var out bytes.Buffer
	reg := toolfalltest.Attach(t, telemetry.New(telemetry.Config{Log: slog.New(slog.NewTextHandler(&out, nil))}), tools())
	reg.Execute(t.Context(), toolfall.Call{ID: "7", Name: "work", Agent: "a\nb"})
	reg.Execute(t.Context(), toolfall.Call{ID: "8", Name: "fail"})
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "level=INFO msg=call tool=work call=7") || !strings.Contains(lines[1], "level=WARN") || !strings.Contains(lines[1], "code=TOOL_ERROR") || strings.Contains(out.String(), "secret-value") {
		t.Errorf("%s", out.String())
	}
}

func TestNothingConfiguredIsNotThere(t *testing.T) {
	reg := toolfalltest.Attach(t, telemetry.New(telemetry.Config{}))
	if n := len(reg.Snapshot().Chain()); n != 0 {
		t.Errorf("%d layers", n)
	}
}

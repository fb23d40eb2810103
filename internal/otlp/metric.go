package otlp

import (
	"context"
	"strconv"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// Metrics sends histograms and sums. It is an exporter of the SDK.
type Metrics struct{ *Client }

type metricMessage struct {
	ResourceMetrics []resourceMetrics `json:"resourceMetrics"`
}

type resourceMetrics struct {
	Resource source         `json:"resource"`
	Scopes   []scopeMetrics `json:"scopeMetrics"`
}

type scopeMetrics struct {
	Scope   library  `json:"scope"`
	Metrics []metric `json:"metrics"`
}

type metric struct {
	Name        string     `json:"name"`
	Description string     `json:"description,omitempty"`
	Unit        string     `json:"unit,omitempty"`
	Histogram   *histogram `json:"histogram,omitempty"`
	Sum         *sum       `json:"sum,omitempty"`
}

type histogram struct {
	Temporality int              `json:"aggregationTemporality"`
	Points      []histogramPoint `json:"dataPoints"`
}

type histogramPoint struct {
	Start      string    `json:"startTimeUnixNano"`
	Time       string    `json:"timeUnixNano"`
	Attributes []pair    `json:"attributes,omitempty"`
	Count      string    `json:"count"`
	Sum        float64   `json:"sum"`
	Buckets    []string  `json:"bucketCounts"`
	Bounds     []float64 `json:"explicitBounds"`
}

type sum struct {
	Temporality int     `json:"aggregationTemporality"`
	Monotonic   bool    `json:"isMonotonic"`
	Points      []point `json:"dataPoints"`
}

type point struct {
	Start      string `json:"startTimeUnixNano"`
	Time       string `json:"timeUnixNano"`
	Attributes []pair `json:"attributes,omitempty"`
	Int        string `json:"asInt"`
}

// Temporality is cumulative, as collectors expect where nothing is said.
func (Metrics) Temporality(k sdkmetric.InstrumentKind) metricdata.Temporality {
	return sdkmetric.DefaultTemporalitySelector(k)
}

// Aggregation is the SDK's own.
func (Metrics) Aggregation(k sdkmetric.InstrumentKind) sdkmetric.Aggregation {
	return sdkmetric.DefaultAggregationSelector(k)
}

// Export sends them in one request.
func (m Metrics) Export(ctx context.Context, rm *metricdata.ResourceMetrics) error {
	out := resourceMetrics{Resource: sourceOf(rm.Resource)}
	for _, s := range rm.ScopeMetrics {
		scope := scopeMetrics{Scope: libraryOf(s.Scope)}
		for _, one := range s.Metrics {
			told, err := metricOf(one)
			if err != nil {
				return err
			}
			scope.Metrics = append(scope.Metrics, told)
		}
		out.Scopes = append(out.Scopes, scope)
	}
	if len(out.Scopes) == 0 {
		return nil
	}
	return m.post(ctx, "metrics", metricMessage{[]resourceMetrics{out}})
}

// ForceFlush does nothing: nothing is held.
func (Metrics) ForceFlush(context.Context) error { return nil }

// Shutdown does nothing: nothing is held.
func (Metrics) Shutdown(context.Context) error { return nil }

// temporalities are the protocol's numbers.
var temporalities = map[metricdata.Temporality]int{metricdata.DeltaTemporality: 1, metricdata.CumulativeTemporality: 2}

func metricOf(m metricdata.Metrics) (metric, error) {
	out := metric{Name: m.Name, Description: m.Description, Unit: m.Unit}
	switch data := m.Data.(type) {
	case metricdata.Histogram[float64]:
		out.Histogram = &histogram{Temporality: temporalities[data.Temporality]}
		for _, p := range data.DataPoints {
			out.Histogram.Points = append(out.Histogram.Points, histogramPoint{
				nanos(p.StartTime), nanos(p.Time), pairs(p.Attributes.ToSlice()), strconv.FormatUint(p.Count, 10), p.Sum, counts(p.BucketCounts), p.Bounds,
			})
		}
	case metricdata.Sum[int64]:
		out.Sum = &sum{Temporality: temporalities[data.Temporality], Monotonic: data.IsMonotonic}
		for _, p := range data.DataPoints {
			out.Sum.Points = append(out.Sum.Points, point{nanos(p.StartTime), nanos(p.Time), pairs(p.Attributes.ToSlice()), strconv.FormatInt(p.Value, 10)})
		}
	default:
		return out, errKind
	}
	return out, nil
}

func counts(list []uint64) []string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = strconv.FormatUint(n, 10)
	}
	return out
}

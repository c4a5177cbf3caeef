// A collector of OpenTelemetry with one receiver, OTLP over HTTP at ADDRESS. Prints `ready`, and then each span that it was sent as a line of
// JSON. Ends with its input.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
)

type printedSpan struct {
	Service      any            `json:"service"`
	Scope        string         `json:"scope"`
	TraceID      string         `json:"traceId"`
	SpanID       string         `json:"spanId"`
	ParentSpanID string         `json:"parentSpanId,omitempty"`
	Name         string         `json:"name"`
	Kind         string         `json:"kind"`
	Start        string         `json:"start"`
	End          string         `json:"end"`
	Status       string         `json:"status"`
	Message      string         `json:"message,omitempty"`
	Attributes   map[string]any `json:"attributes"`
}

func print(out *json.Encoder, traces ptrace.Traces) error {
	for _, resource := range traces.ResourceSpans().All() {
		for _, scope := range resource.ScopeSpans().All() {
			for _, span := range scope.Spans().All() {
				err := out.Encode(printedSpan{
					Service:      resource.Resource().Attributes().AsRaw()["service.name"],
					Scope:        scope.Scope().Name(),
					TraceID:      span.TraceID().String(),
					SpanID:       span.SpanID().String(),
					ParentSpanID: span.ParentSpanID().String(),
					Name:         span.Name(),
					Kind:         span.Kind().String(),
					Start:        fmt.Sprint(uint64(span.StartTimestamp())),
					End:          fmt.Sprint(uint64(span.EndTimestamp())),
					Status:       span.Status().Code().String(),
					Message:      span.Status().Message(),
					Attributes:   span.Attributes().AsRaw(),
				})
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func run(ctx context.Context) error {
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig()
	http := map[string]any{"endpoint": os.Getenv("ADDRESS")}
	conf := confmap.NewFromStringMap(map[string]any{"protocols": map[string]any{"http": http}})
	if err := conf.Unmarshal(config); err != nil {
		return err
	}
	var one sync.Mutex
	out := json.NewEncoder(os.Stdout)
	next, err := consumer.NewTraces(func(_ context.Context, traces ptrace.Traces) error {
		one.Lock()
		defer one.Unlock()
		return print(out, traces)
	})
	if err != nil {
		return err
	}
	settings := receiver.Settings{
		ID:                component.NewID(factory.Type()),
		TelemetrySettings: componenttest.NewNopTelemetrySettings(),
		BuildInfo:         component.NewDefaultBuildInfo(),
	}
	traces, err := factory.CreateTraces(ctx, settings, config, next)
	if err != nil {
		return err
	}
	if err := traces.Start(ctx, componenttest.NewNopHost()); err != nil {
		return err
	}
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return traces.Shutdown(ctx)
}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

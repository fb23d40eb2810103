package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/toolfall/toolfall/schema"
)

// A Value is one value in force and where it came from.
type Value struct {
	Key    string          `json:"key"`
	Value  json.RawMessage `json:"value"`
	Source string          `json:"source"` // default, --root, or a file and a line
}

// Values lists what is in force, in the order of the schema.
func (c *Config) Values() ([]Value, error) { return c.list(nil, reflect.ValueOf(c.File), "") }

func (c *Config) list(vs []Value, v reflect.Value, prefix string) ([]Value, error) {
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		key := prefix + name
		var err error
		if field := v.Field(i); field.Kind() == reflect.Struct {
			vs, err = c.list(vs, field, key+".")
		} else {
			vs, err = c.add(vs, key, field)
		}
		if err != nil {
			return nil, err
		}
	}
	return vs, nil
}

func (c *Config) add(vs []Value, key string, v reflect.Value) ([]Value, error) {
	raw, err := json.Marshal(v.Interface())
	if err != nil {
		return nil, fmt.Errorf("show %s: %w", key, err)
	}
	source, said := c.sources[key]
	if !said {
		source = "default"
	}
	return append(vs, Value{key, raw, source}), nil
}

// Schema returns the JSON Schema of toolfall.yaml, for editors. It also says what
// [Load] checks beyond it: that no key is unknown.
func Schema() (schema.JSON, error) {
	plan, err := schema.For[File]()
	if err != nil {
		return "", err
	}
	var members map[string]any
	if err := json.Unmarshal([]byte(plan.Schema()), &members); err != nil {
		return "", err
	}
	closeObjects(members)
	members["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	members["title"] = "toolfall.yaml"
	raw, err := json.MarshalIndent(members, "", "  ")
	if err != nil {
		return "", fmt.Errorf("config schema: %w", err)
	}
	return schema.JSON(raw), nil
}

// closeObjects forbids unknown members in a schema and all below it.
func closeObjects(s map[string]any) {
	props, ok := s["properties"].(map[string]any)
	if !ok {
		return
	}
	s["additionalProperties"] = false
	for _, p := range props {
		if child, ok := p.(map[string]any); ok {
			closeObjects(child)
		}
	}
}

// Checks with porcupine whether the operations of a file, one JSON document a line, are those of one register.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/anishathalye/porcupine"
)

type operation struct {
	Client   string `json:"client"`
	Kind     string `json:"kind"`
	Invoked  int64  `json:"invoked"`
	Returned int64  `json:"returned"`
	Version  int64  `json:"version"`
	Expected int64  `json:"expected"`
}

// A write of unknown result takes effect when its turn comes, if the version that it expects is there.
func step(state, input, output any) (bool, any) {
	op, version := input.(operation), state.(int64)
	switch op.Kind {
	case "read":
		return op.Version == version, version
	case "written":
		return op.Expected == version, op.Version
	case "refused":
		return op.Expected != version, version
	}
	if op.Expected == version {
		return true, op.Version
	}
	return true, version
}

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	model := porcupine.Model{Init: func() any { return int64(0) }, Step: step}
	clients, operations := map[string]int{}, []porcupine.Operation{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var op operation
		if err := json.Unmarshal(lines.Bytes(), &op); err != nil {
			panic(err)
		}
		if _, known := clients[op.Client]; !known {
			clients[op.Client] = len(clients)
		}
		operations = append(operations, porcupine.Operation{
			ClientId: clients[op.Client], Input: op, Call: op.Invoked, Output: nil, Return: op.Returned,
		})
	}
	fmt.Println(porcupine.CheckOperations(model, operations))
}

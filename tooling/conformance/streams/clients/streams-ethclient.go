// go-ethereum's ethclient as a client of the rig: heads and logs over one WebSocket, as lines of JSON on stdout.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
)

var printing sync.Mutex

func tell(line map[string]any) {
	printing.Lock()
	defer printing.Unlock()
	text, _ := json.Marshal(line)
	fmt.Println(string(text))
}

func failed(err error) { tell(map[string]any{"failed": err.Error()}) }

func watchHeads(client *ethclient.Client) error {
	heads := make(chan *types.Header)
	subscription, err := client.SubscribeNewHead(context.Background(), heads)
	if err != nil {
		return err
	}
	for {
		select {
		case err := <-subscription.Err():
			return fmt.Errorf("heads ended: %w", err)
		case head := <-heads:
			tell(map[string]any{"head": head.Number.Uint64()})
		}
	}
}

func watchLogs(client *ethclient.Client) error {
	query := ethereum.FilterQuery{
		Addresses: []common.Address{common.HexToAddress(os.Getenv("ADDRESS"))},
		Topics:    [][]common.Hash{{common.HexToHash(os.Getenv("TOPIC"))}},
	}
	logs := make(chan types.Log)
	subscription, err := client.SubscribeFilterLogs(context.Background(), query, logs)
	if err != nil {
		return err
	}
	for {
		select {
		case err := <-subscription.Err():
			return fmt.Errorf("logs ended: %w", err)
		case log := <-logs:
			tell(map[string]any{"log": []any{log.BlockNumber, log.Index, log.Removed}})
		}
	}
}

func main() {
	client, err := ethclient.Dial(os.Getenv("WS"))
	if err != nil {
		failed(err)
		return
	}
	var ended sync.WaitGroup
	for _, watch := range []func(*ethclient.Client) error{watchHeads, watchLogs} {
		ended.Add(1)
		go func() {
			defer ended.Done()
			if err := watch(client); err != nil {
				failed(err)
			}
		}()
	}
	ended.Wait()
}

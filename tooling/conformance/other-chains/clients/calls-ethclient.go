// Asks one script of questions by go-ethereum's ethclient, then follows heads and logs: a line of JSON for each.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
)

func height(name string) *big.Int {
	number, _ := strconv.ParseInt(os.Getenv(name), 10, 64)
	return big.NewInt(number)
}

func tell(name string, value any, err error) {
	line := map[string]any{"name": name, "value": value}
	if err != nil {
		line = map[string]any{"name": name, "error": err.Error()}
	}
	text, _ := json.Marshal(line)
	fmt.Println(string(text))
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	client, err := ethclient.Dial(os.Getenv("URL"))
	if err != nil {
		tell("dial", nil, err)
		return
	}
	contract := common.HexToAddress(os.Getenv("CONTRACT"))
	block, hash := height("BLOCK"), common.HexToHash(os.Getenv("BLOCK_HASH"))
	transaction := common.HexToHash(os.Getenv("TRANSACTION"))
	call := ethereum.CallMsg{To: &contract, Data: common.FromHex("0x3fa4f245")}
	reverted := ethereum.CallMsg{To: &contract, Data: common.FromHex("0xdeadbeef")}
	places := map[string]*big.Int{"block": block, "place": height("PLACE"), "latest": nil, "pending": big.NewInt(-1), "finalized": big.NewInt(-3), "safe": big.NewInt(-4)}

	for name, place := range places {
		header, err := client.HeaderByNumber(ctx, place)
		tell("header "+name, header, err)
		whole, err := client.BlockByNumber(ctx, place)
		if err == nil {
			tell("whole "+name, whole.Hash(), nil)
		} else {
			tell("whole "+name, nil, err)
		}
	}
	for _, name := range []string{"block", "place", "latest"} {
		place := places[name]
		balance, err := client.BalanceAt(ctx, contract, place)
		tell("balance "+name, balance, err)
		nonce, err := client.NonceAt(ctx, contract, place)
		tell("nonce "+name, nonce, err)
		code, err := client.CodeAt(ctx, contract, place)
		tell("code "+name, code, err)
		slot, err := client.StorageAt(ctx, contract, common.Hash{}, place)
		tell("slot "+name, slot, err)
		result, err := client.CallContract(ctx, call, place)
		tell("call "+name, result, err)
		history, err := client.FeeHistory(ctx, 3, place, []float64{10, 50})
		tell("fees "+name, history, err)
	}
	number, err := client.BlockNumber(ctx)
	tell("number", number, err)
	chain, err := client.ChainID(ctx)
	tell("chain", chain, err)
	header, err := client.HeaderByHash(ctx, hash)
	tell("header by hash", header, err)
	header, err = client.HeaderByHash(ctx, common.HexToHash("0x12"))
	tell("header by no hash", header, err)
	count, err := client.TransactionCount(ctx, hash)
	tell("count", count, err)
	found, isPending, err := client.TransactionByHash(ctx, transaction)
	if err == nil {
		tell("transaction", []any{found.Hash(), isPending}, nil)
	} else {
		tell("transaction", nil, err)
	}
	receipt, err := client.TransactionReceipt(ctx, transaction)
	tell("receipt", receipt, err)
	_, err = client.TransactionReceipt(ctx, common.HexToHash("0x12"))
	tell("no receipt", nil, err)
	gas, err := client.EstimateGas(ctx, call)
	tell("gas", gas, err)
	_, err = client.EstimateGas(ctx, reverted)
	tell("gas of a revert", nil, err)
	price, err := client.SuggestGasPrice(ctx)
	tell("price", price, err)
	tip, err := client.SuggestGasTipCap(ctx)
	tell("tip", tip, err)
	waiting, err := client.PendingNonceAt(ctx, contract)
	tell("pending nonce", waiting, err)
	logs, err := client.FilterLogs(ctx, ethereum.FilterQuery{BlockHash: &hash})
	tell("logs of a block", logs, err)
	for from := height("PLACE").Int64() - 1; from <= height("PLACE").Int64()+1; from++ {
		for to := from; to <= from+8; to++ {
			query := ethereum.FilterQuery{FromBlock: big.NewInt(from), ToBlock: big.NewInt(to), Addresses: []common.Address{contract}}
			logs, err := client.FilterLogs(ctx, query)
			tell(fmt.Sprintf("logs %d %d", from, to), logs, err)
		}
	}

	socket, err := ethclient.Dial(os.Getenv("WS"))
	if err != nil {
		tell("dial socket", nil, err)
		return
	}
	heads, events := make(chan *types.Header, 100), make(chan types.Log, 100)
	_, err = socket.SubscribeNewHead(ctx, heads)
	tell("subscribed heads", nil, err)
	_, err = socket.SubscribeFilterLogs(ctx, ethereum.FilterQuery{Addresses: []common.Address{contract}}, events)
	tell("subscribed logs", nil, err)
	tell("ready", nil, nil)
	wantedHeads, wantedLogs := height("HEADS").Int64(), height("LOGS").Int64()
	for wantedHeads > 0 || wantedLogs > 0 {
		select {
		case head := <-heads:
			wantedHeads--
			tell("head", head, nil)
		case event := <-events:
			wantedLogs--
			tell("log", event, nil)
		case <-ctx.Done():
			tell("followed", nil, ctx.Err())
			return
		}
	}
}

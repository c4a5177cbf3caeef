// go-ethereum's ethclient as a client of the rig: reads all logs from block FROM to block TO, and prints the error that it got, or nothing.
package main

import (
	"context"
	"fmt"
	"math/big"
	"os"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/ethclient"
)

func block(name string) *big.Int {
	number, isNumber := new(big.Int).SetString(os.Getenv(name), 10)
	if !isNumber {
		panic(name + " is not a number")
	}
	return number
}

func main() {
	query := ethereum.FilterQuery{FromBlock: block("FROM"), ToBlock: block("TO")}
	client, err := ethclient.Dial(os.Getenv("URL"))
	if err == nil {
		_, err = client.FilterLogs(context.Background(), query)
	}
	if err != nil {
		fmt.Println(err)
	}
}

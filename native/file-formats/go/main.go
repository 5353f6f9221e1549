// The file formats of Go modules behind one C function, so that Python measures them as its users would call them from
// Go: age with one X25519 recipient, and DARE 2.0 of minio/sio with AES-256-GCM.
package main

// #include <stddef.h>
// #include <stdint.h>
import "C"

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"unsafe"

	"filippo.io/age"
	"github.com/minio/sio"
)

// Results of aeadlab_file other than a length.
const (
	rejected = -1
	failed   = -2
)

// fixed is a writer to memory of the caller.
type fixed struct {
	memory []byte
	used   int
}

func (f *fixed) Write(part []byte) (int, error) {
	written := copy(f.memory[f.used:], part)
	f.used += written
	if written < len(part) {
		return written, io.ErrShortWrite
	}
	return written, nil
}

// readAll reads up to the end, without memory of its own as io.Copy would use.
func (f *fixed) readAll(source io.Reader) error {
	var beyond [1]byte
	for {
		space := f.memory[f.used:]
		full := len(space) == 0
		if full {
			space = beyond[:]
		}
		count, err := source.Read(space)
		if full && count > 0 {
			return io.ErrShortBuffer
		}
		f.used += count
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// identities are parsed once for each key, as a program does before its first file.
var identities sync.Map

func identityOf(text []byte) (*age.X25519Identity, error) {
	if found, ok := identities.Load(string(text)); ok {
		return found.(*age.X25519Identity), nil
	}
	identity, err := age.ParseX25519Identity(string(text))
	if err == nil {
		identities.Store(string(text), identity)
	}
	return identity, err
}

func sealAge(key, data []byte, out *fixed) error {
	identity, err := identityOf(key)
	if err != nil {
		return err
	}
	writer, err := age.Encrypt(out, identity.Recipient())
	if err != nil {
		return err
	}
	if _, err := writer.Write(data); err != nil {
		return err
	}
	return writer.Close()
}

func openAge(key, file []byte, out *fixed) error {
	identity, err := identityOf(key)
	if err != nil {
		return err
	}
	reader, err := age.Decrypt(bytes.NewReader(file), identity)
	if err != nil {
		return err
	}
	return out.readAll(reader)
}

func configuration(key []byte) sio.Config {
	suites := []byte{sio.AES_256_GCM}
	return sio.Config{MinVersion: sio.Version20, MaxVersion: sio.Version20, CipherSuites: suites, Key: key}
}

func sealDARE(key, data []byte, out *fixed) error {
	_, err := sio.Encrypt(out, bytes.NewReader(data), configuration(key))
	return err
}

func openDARE(key, file []byte, out *fixed) error {
	_, err := sio.Decrypt(out, bytes.NewReader(file), configuration(key))
	return err
}

type function func(key, data []byte, out *fixed) error

var functions = map[string]map[string]function{
	"age":  {"seal": sealAge, "open": openAge},
	"dare": {"seal": sealDARE, "open": openDARE},
}

// memory is the caller's, so that the collector of Go neither moves nor frees it.
func memory(start *C.uint8_t, count C.size_t) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(start)), int(count))
}

// aeadlab_file seals or opens a file, `op` and `format` being names that end with a zero byte. The key of age is the
// text of its identity. It returns the bytes written to `out`, -1 if it rejects the file, or -2 for another failure.
//
//export aeadlab_file
func aeadlab_file(
	format, op *C.char, key *C.uint8_t, keyBytes C.size_t, in *C.uint8_t, inBytes C.size_t, out *C.uint8_t, outBytes C.size_t,
) C.int64_t {
	opName := C.GoString(op)
	run, known := functions[C.GoString(format)][opName]
	if !known {
		return failed
	}
	result := &fixed{memory: memory(out, outBytes)}
	if err := run(memory(key, keyBytes), memory(in, inBytes), result); err != nil {
		if opName == "open" {
			return rejected
		}
		return failed
	}
	return C.int64_t(result.used)
}

func main() {}

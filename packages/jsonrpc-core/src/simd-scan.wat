;; Follows the strings and brackets of JSON, 64 bytes a step; simd-scan.ts is its caller.
;; A mask has a bit for each byte of a step; bit 0 is that of the first byte.
(module
  ;; The state, before the bytes to scan, which begin at 64:
  ;; i32 at 0: depth; 4: 1 within a string; 8: bytes scanned; 12: 1 if the next byte is escaped.
  (memory (export "memory") 2)

  ;; Scans the whole steps of $length bytes. Returns the index after the value, or -1 where it does not end in them. Stops before
  ;; a step with a backslash outside strings. The value is a string or a container, and has been opened.
  (func (export "scan") (param $length i32) (result i32)
    (local $at i32) (local $end i32) (local $depth i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    ;; Masks. $inString is full within a string; $escapeNext has bit 0 after a backslash that escapes.
    (local $inString i64) (local $escapeNext i64)
    (local $quotes i64) (local $backslashes i64) (local $escaped i64) (local $strings i64) (local $opens i64) (local $closes i64)
    (local $runs i64) (local $followers i64) (local $evenRuns i64) (local $before i64)
    (local.set $depth (i32.load (i32.const 0)))
    (local.set $inString (i64.sub (i64.const 0) (i64.load32_u (i32.const 4))))
    (local.set $escapeNext (i64.load32_u (i32.const 12)))
    (local.set $at (i32.const 64))
    (local.set $end (i32.add (i32.const 64) (i32.and (local.get $length) (i32.const -64))))
    (block $stop
      (loop $step
        (br_if $stop (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $a (v128.load (local.get $at)))
        (local.set $b (v128.load offset=16 (local.get $at)))
        (local.set $c (v128.load offset=32 (local.get $at)))
        (local.set $d (v128.load offset=48 (local.get $at)))
        (local.set $quotes
          (i64.or
            (i64.or
              (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $a) (i8x16.splat (i32.const 0x22)))))
              (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $b) (i8x16.splat (i32.const 0x22))))) (i64.const 16)))
            (i64.or
              (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $c) (i8x16.splat (i32.const 0x22))))) (i64.const 32))
              (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $d) (i8x16.splat (i32.const 0x22))))) (i64.const 48)))))
        (local.set $backslashes
          (i64.or
            (i64.or
              (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $a) (i8x16.splat (i32.const 0x5c)))))
              (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $b) (i8x16.splat (i32.const 0x5c))))) (i64.const 16)))
            (i64.or
              (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $c) (i8x16.splat (i32.const 0x5c))))) (i64.const 32))
              (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $d) (i8x16.splat (i32.const 0x5c))))) (i64.const 48)))))

        ;; A byte is escaped if the run of backslashes before it is odd. The addition carries each run that starts at an odd place out
        ;; of its own bits, so only runs that start at an even place are left, and turn which of their followers are escaped.
        (local.set $escaped (local.get $escapeNext))
        (if (i64.ne (local.get $backslashes) (i64.const 0))
          (then
            (local.set $runs (i64.and (local.get $backslashes) (i64.xor (local.get $escapeNext) (i64.const -1))))
            (local.set $followers (i64.or (i64.shl (local.get $runs) (i64.const 1)) (local.get $escapeNext)))
            (local.set $evenRuns
              (i64.add
                (local.get $runs)
                (i64.and
                  (i64.and (local.get $runs) (i64.const 0xaaaaaaaaaaaaaaaa))
                  (i64.xor (local.get $followers) (i64.const -1)))))
            (local.set $escaped
              (i64.and
                (local.get $followers)
                (i64.xor (i64.const 0x5555555555555555) (i64.shl (local.get $evenRuns) (i64.const 1)))))))
        (local.set $quotes (i64.and (local.get $quotes) (i64.xor (local.get $escaped) (i64.const -1))))

        ;; Each quote turns its own bit and all that follow.
        (local.set $strings (local.get $inString))
        (if (i64.ne (local.get $quotes) (i64.const 0))
          (then
            ;; A string that is the whole value ends here.
            (if (i32.eqz (local.get $depth))
              (then
                (return
                  (i32.add (i32.sub (local.get $at) (i32.const 63)) (i32.wrap_i64 (i64.ctz (local.get $quotes)))))))
            (local.set $strings (local.get $quotes))
            (local.set $strings (i64.xor (local.get $strings) (i64.shl (local.get $strings) (i64.const 1))))
            (local.set $strings (i64.xor (local.get $strings) (i64.shl (local.get $strings) (i64.const 2))))
            (local.set $strings (i64.xor (local.get $strings) (i64.shl (local.get $strings) (i64.const 4))))
            (local.set $strings (i64.xor (local.get $strings) (i64.shl (local.get $strings) (i64.const 8))))
            (local.set $strings (i64.xor (local.get $strings) (i64.shl (local.get $strings) (i64.const 16))))
            (local.set $strings (i64.xor (local.get $strings) (i64.shl (local.get $strings) (i64.const 32))))
            (local.set $strings (i64.xor (local.get $strings) (local.get $inString)))))
        (br_if $stop
          (i64.ne
            (i64.and (local.get $backslashes) (i64.xor (local.get $strings) (i64.const -1)))
            (i64.const 0)))
        (local.set $escapeNext
          (i64.shr_u
            (i64.and (local.get $backslashes) (i64.xor (local.get $escaped) (i64.const -1)))
            (i64.const 63)))
        (local.set $inString (i64.shr_s (local.get $strings) (i64.const 63)))

        (if (i64.ne (local.get $strings) (i64.const -1))
          (then
            ;; With 0x20 set, "[" is "{" and "]" is "}", and no other byte becomes one of them.
            (local.set $a (v128.or (local.get $a) (i8x16.splat (i32.const 0x20))))
            (local.set $b (v128.or (local.get $b) (i8x16.splat (i32.const 0x20))))
            (local.set $c (v128.or (local.get $c) (i8x16.splat (i32.const 0x20))))
            (local.set $d (v128.or (local.get $d) (i8x16.splat (i32.const 0x20))))
            (local.set $opens
              (i64.or
                (i64.or
                  (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $a) (i8x16.splat (i32.const 0x7b)))))
                  (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $b) (i8x16.splat (i32.const 0x7b))))) (i64.const 16)))
                (i64.or
                  (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $c) (i8x16.splat (i32.const 0x7b))))) (i64.const 32))
                  (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $d) (i8x16.splat (i32.const 0x7b))))) (i64.const 48)))))
            (local.set $closes
              (i64.or
                (i64.or
                  (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $a) (i8x16.splat (i32.const 0x7d)))))
                  (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $b) (i8x16.splat (i32.const 0x7d))))) (i64.const 16)))
                (i64.or
                  (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $c) (i8x16.splat (i32.const 0x7d))))) (i64.const 32))
                  (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $d) (i8x16.splat (i32.const 0x7d))))) (i64.const 48)))))
            (local.set $strings (i64.xor (local.get $strings) (i64.const -1)))
            (local.set $opens (i64.and (local.get $opens) (local.get $strings)))
            (local.set $closes (i64.and (local.get $closes) (local.get $strings)))
            ;; Only where as many close as are open can the value end: then each bracket that closes is looked at.
            (if (i32.le_s (local.get $depth) (i32.wrap_i64 (i64.popcnt (local.get $closes))))
              (then
                (local.set $strings (local.get $closes))
                (block $walked
                  (loop $walk
                    (br_if $walked (i64.eqz (local.get $strings)))
                    (local.set $before
                      (i64.and
                        (i64.xor (local.get $strings) (i64.const -1))
                        (i64.sub (local.get $strings) (i64.const 1))))
                    (if (i32.eq
                          (i32.add
                            (local.get $depth)
                            (i32.wrap_i64 (i64.popcnt (i64.and (local.get $opens) (local.get $before)))))
                          (i32.add
                            (i32.const 1)
                            (i32.wrap_i64 (i64.popcnt (i64.and (local.get $closes) (local.get $before))))))
                      (then
                        (return
                          (i32.add (i32.sub (local.get $at) (i32.const 63)) (i32.wrap_i64 (i64.ctz (local.get $strings)))))))
                    (local.set $strings (i64.and (local.get $strings) (i64.sub (local.get $strings) (i64.const 1))))
                    (br $walk)))))
            (local.set $depth
              (i32.add
                (local.get $depth)
                (i32.wrap_i64 (i64.sub (i64.popcnt (local.get $opens)) (i64.popcnt (local.get $closes))))))))
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (br $step)))
    (i32.store (i32.const 0) (local.get $depth))
    (i32.store (i32.const 4) (i32.wrap_i64 (i64.and (local.get $inString) (i64.const 1))))
    (i32.store (i32.const 8) (i32.sub (local.get $at) (i32.const 64)))
    (i32.store (i32.const 12) (i32.wrap_i64 (local.get $escapeNext)))
    (i32.const -1)))

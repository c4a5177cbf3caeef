/** Codes of the multicodec table. */
export const codecCodes = {
  raw: 0x55,
  dagPb: 0x70,
  dagCbor: 0x71,
  dagJose: 0x85,
  dagJson: 0x0129,
  cbor: 0x51,
  json: 0x0200,
} as const

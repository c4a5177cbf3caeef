/** Reads a body as text; empty for one of more than `most` bytes. */
export async function boundedText(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): Promise<string> {
  const decoder = new TextDecoder()
  let [text, size] = ['', 0]
  for await (const chunk of body) {
    size += chunk.length
    if (size > most) return ''
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

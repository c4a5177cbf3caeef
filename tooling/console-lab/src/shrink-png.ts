import UPNG from 'upng-js'

/** The most bytes of a picture. */
const mostBytes = 60_000
const steps = [192, 128, 96, 64, 48, 32] as const

/** Prints a picture in so few colours that it is small; the flat ones of a page need few. */
export function shrinkPng(png: Uint8Array): Uint8Array {
  const image = UPNG.decode(png)
  const frames = UPNG.toRGBA8(image)
  let small = png
  for (const colours of steps) {
    small = new Uint8Array(UPNG.encode(frames, image.width, image.height, colours))
    if (small.length <= mostBytes) break
  }
  return small
}

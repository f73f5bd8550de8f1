const SEPARATOR = '-'

/** Turns a title into a slug. */
export function slug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, SEPARATOR)
}

export class Slugs {
  private seen = new Set<string>()

  unique(title: string): string {
    const s = slug(title)
    this.seen.add(s)
    return s
  }
}

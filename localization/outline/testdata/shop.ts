import { a, b } from './x'
import type { C } from "y";

export const LIMIT = 10
const RATE = 0.5, OTHER = 1;

/** Adds. `function fake() {` */
export async function add<T extends { a: number }>({ x, y }: Point, z = {}): Promise<{ sum: number }> {
  const local = 1
  const helper = (n: number) => n + 1
  function inner() { return /}{/.test(`a ${`nested ${'}'}`} b`) }
  if (x) { return { sum: 1 } } else { y() }
  for (const k of list) {
    list.forEach(function named(item) {
      use(item)
    })
  }
  return { sum: helper(x) }
}

export default class Cart extends Base<{ k: string }> implements Thing {
  static count: number = 0
  private items: Item[] = [];
  handler = async (e: Event) => {
    this.items = []
  }

  constructor(private readonly store: Store) {
    super()
  }

  @Input({ alias: 'x' })
  get total(): number {
    return this.items.reduce((s, i) => s + i.price, 0)
  }

  async *each<T>(f: (i: Item) => T): AsyncGenerator<T> { yield f(this.items[0]) }
  #secret() {}
  static { Cart.count = 1 }
}

interface Item { price: number; name?: string; pay(amount: number): void }
type Point = {
  x: number
}
enum Colour { Red = 'r', Green = 'g' }
namespace Outer.Inner {
  export function deep() {}
}

const api = {
  get(url) { return fetch(url) },
  post: async (url, data) => {
    return 1
  },
  nested: { put: function () { return 2 } },
}
module.exports.legacy = function (a) {
  return a / 2 / 3
}
Cart.prototype.old = function () {}
const memo = useMemo(() => {
  return 1
}, [])

export const View = () => (
  <div className="x">Don't {a} <br /></div>
)
const last = (x) =>
  x
    .map(y => y)

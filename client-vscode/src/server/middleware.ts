/** Merges the middlewares of several features into one for the language client. Pure. */

type Hook = (...args: never[]) => unknown;
type Hooks = { readonly [name: string]: Hook | Hooks | undefined };

/**
 * Hooks of the same name are nested, the first feature's outermost: its `next`, the last argument of every hook, calls the
 * second's. Groups of hooks (`window`, `workspace`) are merged name by name.
 */
export function mergeMiddleware<M extends object>(all: readonly (M | undefined)[]): M {
  return all.reduce<Hooks>((merged, each) => (each ? merge(merged, each as Hooks) : merged), {}) as M;
}

function merge(outer: Hooks, inner: Hooks): Hooks {
  const merged: Record<string, Hook | Hooks | undefined> = { ...outer };
  for (const [name, hook] of Object.entries(inner)) merged[name] = both(name, outer[name], hook);
  return merged;
}

function both(name: string, outer: Hook | Hooks | undefined, inner: Hook | Hooks | undefined): Hook | Hooks | undefined {
  if (outer === undefined || inner === undefined) return outer ?? inner;
  if (typeof outer === "object" && typeof inner === "object") return merge(outer, inner);
  if (typeof outer === "function" && typeof inner === "function") return around(outer, inner);
  throw new Error(`The middleware ${name} is a hook in one feature and a group in another.`);
}

function around(outer: Hook, inner: Hook): Hook {
  return function (this: unknown, ...args: never[]): unknown {
    const next = args.at(-1) as unknown as Hook;
    const innerNext = (...passed: never[]): unknown => inner.apply(this, [...passed, next as never]);
    return outer.apply(this, [...args.slice(0, -1), innerNext as never]);
  };
}

/** A text of the model's as it is meant to be read. Finished blocks are rendered once, also while the text grows. */

import { memo } from "preact/compat";
import { useMemo, useRef } from "preact/hooks";
import type { Act } from "../transcript/act";
import { pressed } from "./actions";
import { blocksOf, noBlocks, openFence } from "./blocks";
import { blockHtml, codeHtml, type References } from "./render";

export function Markdown({ text, streaming, act }: { text: string; streaming: boolean; act: Act }) {
  const known = useRef(noBlocks());
  const blocks = (known.current = blocksOf(known.current, text));
  const { finished, last, references } = blocks;
  // What a link in brackets refers to may come at the very end.
  const late = !streaming && references.references !== undefined;
  return (
    <div class={streaming ? "markdown streaming" : "markdown"} onClick={(event) => pressed(act, event)}>
      {chunksOf(finished).map((sources, i) => (
        <Chunk key={i} sources={sources} references={references} late={late} />
      ))}
      {last && <Last key="last" source={last} references={references} late={late} streaming={streaming} />}
    </div>
  );
}

/** Blocks that are drawn, and left alone, together: a very long text has thousands. */
const CHUNK = 32;

function chunksOf(finished: readonly string[]): (readonly string[])[] {
  const chunks: (readonly string[])[] = [];
  for (let at = 0; at < finished.length; at += CHUNK) chunks.push(finished.slice(at, at + CHUNK));
  return chunks;
}

interface ChunkProps {
  readonly sources: readonly string[];
  readonly references: References;
  readonly late: boolean;
}

const Chunk = memo(
  function Chunk({ sources, references, late }: ChunkProps) {
    return (
      <div class="md-chunk">
        {sources.map((source, i) => (
          <Block key={i} source={source} references={references} late={late} />
        ))}
      </div>
    );
  },
  (before, after) =>
    before.late === after.late &&
    before.references === after.references &&
    before.sources.length === after.sources.length &&
    before.sources.every((source, i) => source === after.sources[i]),
);

interface BlockProps {
  readonly source: string;
  readonly references: References;
  readonly late: boolean;
}

const Block = memo(function Block({ source, references, late }: BlockProps) {
  const __html = useMemo(() => cachedHtml(source, references), [source, references, late]);
  return <div class="md-block" dangerouslySetInnerHTML={{ __html }} />;
});

function Last({ streaming, ...block }: BlockProps & { streaming: boolean }) {
  const fence = streaming ? openFence(block.source) : undefined;
  const __html = fence && codeHtml(fence.code, fence.language, false);
  if (__html !== undefined) return <div class="md-block" dangerouslySetInnerHTML={{ __html }} />;
  return <Block {...block} />;
}

/** Rows of a virtualised list come and go; their texts stay the same. */
const cache = new Map<string, string>();
const CACHED = 400;

function cachedHtml(source: string, references: References): string {
  if (references.references) return blockHtml(source, references);
  const known = cache.get(source);
  if (known !== undefined) return known;
  const html = blockHtml(source, references);
  if (cache.size >= CACHED) cache.clear();
  cache.set(source, html);
  return html;
}

import { json } from '@codemirror/lang-json';
import { MergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';

// A side-by-side comparison of two texts. It is mounted in a shadow root, where the editor adopts a style sheet; in the
// document it would add a style element, which the content security policy blocks.


const theme = EditorView.theme({
  '&': { fontSize: '12px', color: 'var(--fg)', backgroundColor: 'var(--surface)' },
  '.cm-scroller': { fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace', lineHeight: '18px' },
  '.cm-content': { padding: '8px 0' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '&.cm-merge-a .cm-changedLine': { backgroundColor: 'var(--bad-soft)' },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--ok-soft)' },
  '&.cm-merge-a .cm-changedText': { background: 'none', textDecoration: 'underline', textDecorationColor: 'var(--bad)' },
  '&.cm-merge-b .cm-changedText': { background: 'none', textDecoration: 'underline', textDecorationColor: 'var(--ok)' },
  '.cm-collapsedLines': { color: 'var(--muted)', background: 'var(--raised)' },
});

function side(doc: string, label: string) {
  const extensions: Extension[] = [
    json(),
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.lineWrapping,
    // Scroll areas must be reachable by keyboard.
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    theme,
  ];
  return { doc, extensions };
}

interface Sides {
  before: string;
  after: string;
  beforeLabel: string;
  afterLabel: string;
}

/** Shows the changes between two texts; returns a function that removes the view. */
function showMerge(host: HTMLElement, { before, after, beforeLabel, afterLabel }: Sides): () => void {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const parent = document.createElement('div');
  root.replaceChildren(parent);
  const view = new MergeView({
    parent,
    root,
    a: side(before, beforeLabel),
    b: side(after, afterLabel),
    gutter: false,
    collapseUnchanged: { margin: 3, minSize: 6 },
  });
  return () => view.destroy();
}

// Loaded with the first comparison, because the editor is larger than the rest of the page.


export interface MergeProps {
  label: string;
  before: string;
  after: string;
}

export default function Merge({ label, before, after }: MergeProps) {
  const { t } = useTranslation('dead-letters');
  const host = useRef<HTMLDivElement>(null);
  const beforeLabel = t('letter.compare.before', { what: label });
  const afterLabel = t('letter.compare.after', { what: label });
  useEffect(() => {
    if (!host.current) return undefined;
    return showMerge(host.current, { before, after, beforeLabel, afterLabel });
  }, [before, after, beforeLabel, afterLabel]);
  return (
    <section aria-label={label} className="min-w-0">
      <h3 className="mb-1 text-xs text-muted">{label}</h3>
      <div ref={host} className="max-h-96 overflow-auto rounded-control border border-line" />
    </section>
  );
}

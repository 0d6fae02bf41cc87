import {
  autocompletion,
  type CompletionContext,
  completionKeymap,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
  syntaxTree,
} from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useEffectEvent, useRef } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import type { Members } from './use-lab';

// The JSON editor for queries. It is mounted in a shadow root, where the editor adopts a style sheet; in the document
// it would add a style element, which the content security policy blocks.


const KEYS = [
  'measures',
  'dimensions',
  'timeDimensions',
  'filters',
  'order',
  'limit',
  'offset',
  'total',
  'timezone',
  'ungrouped',
  'segments',
  'member',
  'operator',
  'values',
  'dimension',
  'granularity',
  'dateRange',
  'compareDateRange',
  'or',
  'and',
];

const VALUES = [
  'second',
  'minute',
  'hour',
  'day',
  'week',
  'month',
  'quarter',
  'year',
  'equals',
  'notEquals',
  'contains',
  'notContains',
  'startsWith',
  'notStartsWith',
  'endsWith',
  'notEndsWith',
  'in',
  'notIn',
  'gt',
  'gte',
  'lt',
  'lte',
  'set',
  'notSet',
  'inDateRange',
  'notInDateRange',
  'onTheDate',
  'beforeDate',
  'beforeOrOnDate',
  'afterDate',
  'afterOrOnDate',
  'asc',
  'desc',
  'today',
  'yesterday',
  'this week',
  'last week',
  'this month',
  'last month',
  'from 6 days ago to now',
];

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', color: 'var(--fg)', backgroundColor: 'var(--surface)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace', lineHeight: '20px' },
  '.cm-content': { caretColor: 'var(--fg)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--fg)' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--muted)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'var(--accent-soft) !important' },
  '.cm-matchingBracket': { backgroundColor: 'var(--hover) !important' },
  '.cm-tooltip': {
    border: '1px solid var(--line2)',
    backgroundColor: 'var(--surface)',
    color: 'var(--fg)',
    borderRadius: '6px',
    boxShadow: 'var(--float-shadow)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'inherit', maxHeight: '16em' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent-soft)', color: 'var(--accent)' },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal' },
});

const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--ok)' },
  { tag: tags.number, color: 'var(--warn)' },
  { tag: [tags.bool, tags.null], color: 'var(--info)' },
]);

function completions(members: () => Members | undefined) {
  return (context: CompletionContext): CompletionResult | null => {
    const node = syntaxTree(context.state).resolveInner(context.pos, -1);
    const isKey = node.name === 'PropertyName';
    if (!isKey && node.name !== 'String') return null;
    const known = members();
    const member = ({ name, title }: { name: string; title: string }) => ({ label: name, detail: title });
    const all = known ? [...known.measures, ...known.dimensions, ...known.times].map(member) : [];
    return {
      from: node.from + 1,
      options: [...(isKey ? KEYS : VALUES).map((label) => ({ label })), ...all],
      validFor: /^[\w. ]*$/,
    };
  };
}

interface JsonEditor {
  /** Replaces the text. */
  write: (text: string) => void;
  destroy: () => void;
}

interface JsonOptions {
  text: string;
  label: string;
  members: () => Members | undefined;
  onChange: (text: string) => void;
  onRun: () => void;
}

/** Creates an editor in the shadow root of an element. */
function createJsonEditor(host: HTMLElement, options: JsonOptions): JsonEditor {
  const { text, label, members, onChange, onRun } = options;
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const parent = document.createElement('div');
  // Styles of the page do not apply in the shadow root, so set the height here.
  parent.style.height = '100%';
  root.replaceChildren(parent);
  let isOwn = false;
  const view = new EditorView({
    parent,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        highlightActiveLine(),
        indentOnInput(),
        bracketMatching(),
        json(),
        syntaxHighlighting(colors),
        autocompletion({ override: [completions(members)], icons: false }),
        // Tab moves the focus out, as in any other field.
        keymap.of([
          {
            key: 'Mod-Enter',
            run: () => {
              onRun();
              return true;
            },
          },
          ...completionKeymap,
          ...defaultKeymap,
          ...historyKeymap,
        ]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isOwn) onChange(update.state.doc.toString());
        }),
        theme,
      ],
    }),
  });
  return {
    write(next) {
      if (view.state.doc.toString() === next) return;
      isOwn = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
      isOwn = false;
    },
    destroy: () => view.destroy(),
  };
}

// Loaded with the first JSON query: the editor is larger than the rest of the page.


export interface JsonFieldProps {
  text: string;
  members: Members | undefined;
  onChange: (text: string) => void;
  onRun: () => void;
}

export default function JsonField({ text, members, onChange, onRun }: JsonFieldProps) {
  const { t } = useTranslation('query-lab');
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<JsonEditor>(undefined);
  const known = useRef(members);
  const label = t('json.label');
  const change = useEffectEvent(onChange);
  const run = useEffectEvent(onRun);
  const first = useEffectEvent(() => text);

  useEffect(() => {
    known.current = members;
  }, [members]);
  useEffect(() => {
    if (!host.current) return undefined;
    const made = createJsonEditor(host.current, {
      text: first(),
      label,
      members: () => known.current,
      // Render immediately. Outside of React's events, React renders later, and the shortcut to run would still use the
      // old text.
      onChange: (next) => flushSync(() => change(next)),
      onRun: () => run(),
    });
    editor.current = made;
    return () => made.destroy();
  }, [label]);
  useEffect(() => editor.current?.write(text), [text]);

  return <div ref={host} className="h-full min-h-80" />;
}

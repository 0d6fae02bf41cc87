// Fetched when somebody first writes a query by hand: the editor is larger than the rest of the page.
import { useEffect, useEffectEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { createJsonEditor, type JsonEditor } from '../json-setup';
import type { Members } from '../use-meta';

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
      onChange: (next) => change(next),
      onRun: () => run(),
    });
    editor.current = made;
    return () => made.destroy();
  }, [label]);
  useEffect(() => editor.current?.write(text), [text]);

  return <div ref={host} className="h-full min-h-80" />;
}

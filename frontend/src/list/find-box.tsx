import { Search, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/ui/button';
import { Input } from '@/ui/input';
import type { Filter } from './filters-codec';
import type { FindField } from './resource';

interface FindBoxProps {
  find: FindField;
  filters: readonly Filter[];
  onChange: (filters: Filter[], replace?: boolean) => void;
}

export const FIND_DEBOUNCE_MS = 300;

function isOwn(filter: Filter, key: string): boolean {
  return filter.key === key && filter.operator === 'contains' && filter.values.length === 1;
}

function withText(filters: readonly Filter[], key: string, text: string): Filter[] {
  const others = filters.filter((filter) => !isOwn(filter, key));
  if (!text) return others;
  return [...others, { key, operator: 'contains', values: [{ label: text, value: text }] }];
}

/** Finds by one field while one types: each pause puts its contains filter into the address. */
export function FindBox({ find, filters, onChange }: FindBoxProps) {
  const { t } = useTranslation('list');
  const { key, labelKey } = find;
  const applied = filters.find((filter) => isOwn(filter, key))?.values[0]?.value ?? '';
  const [text, setText] = useState(applied);
  const [seen, setSeen] = useState(applied);
  const [sent, setSent] = useState(applied);
  if (applied !== seen) {
    setSeen(applied);
    // Not by this box: by Back, or by a chip that was removed.
    if (applied !== sent) {
      setSent(applied);
      setText(applied);
    }
  }

  const wanted = text.trim();
  useEffect(() => {
    if (wanted === sent) return undefined;
    const timer = setTimeout(() => {
      setSent(wanted);
      onChange(withText(filters, key, wanted), true);
    }, FIND_DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [wanted, sent, filters, key, onChange]);

  return (
    <search className="w-64 max-md:w-full">
      <Input
        size={32}
        value={text}
        onChange={({ target }) => setText(target.value)}
        aria-label={t('find', { field: t(labelKey) })}
        placeholder={t(labelKey)}
        maxLength={64}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        start={<Search aria-hidden className="size-4" />}
        end={
          text && (
            <IconButton icon={X} size={28} label={t('clearFind')} onClick={() => setText('')} />
          )
        }
      />
    </search>
  );
}

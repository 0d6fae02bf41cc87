import { Sparkles } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { customerLookup, permittedDriverLookup, truckerLookup } from '@/domain/lookups/lookups';
import { LookupField } from '@/form/lookup-field';
import type { Lookup } from '@/list/resource';
import { Button } from '@/ui/button';
import { Select } from '@/ui/input';
import { useFocusFallback } from '@/ui/use-focus-fallback';
import type { ImportValue } from './queries';
import type { ValueField } from './use-matched-values';

const lookups: Record<ValueField, Lookup> = {
  driver: permittedDriverLookup,
  customer: customerLookup,
  trucker: truckerLookup,
};

const KEEP = 'keep';
const OTHER = 'other';
/** Precedes the name of a record, which could be one of the words above. */
const USE = 'use:';

interface ValueChoiceProps {
  value: ImportValue;
  /** Whether rows with an unknown driver are refused. */
  refusesUnknown: boolean;
  onChoose: (decision: Pick<ImportValue, 'choice' | 'target'>) => void;
}

/** A choice of what to import for a value: a similar record, another one that is searched for, or the value itself. */
export function ValueChoice({ value, refusesUnknown, onChoose }: ValueChoiceProps) {
  const { t } = useTranslation('imports');
  const [isSearching, setSearching] = useState(false);
  const choices = useFocusFallback<HTMLDivElement>((container) => container.querySelector('select'));
  const { field, suggestions, choice, target } = value;
  const [best] = suggestions;
  const isSuggested = suggestions.some(({ name }) => name === target?.name);
  const records = target && !isSuggested ? [...suggestions, target] : suggestions;
  const current = choice === 'use' && target ? USE + target.name : (choice ?? '');

  function select(next: string) {
    setSearching(next === OTHER);
    if (next === OTHER) return;
    const record = records.find(({ name }) => USE + name === next) ?? null;
    if (record) onChoose({ choice: 'use', target: record });
    else onChoose({ choice: next === KEEP ? 'keep' : null, target: null });
  }

  return (
    <div ref={choices} className="flex flex-col gap-2">
      <Select
        aria-label={t('values.importAsOf', { value: value.value })}
        value={isSearching ? OTHER : current}
        onChange={({ target: { value: next } }) => select(next)}
      >
        <option value="">{t('values.undecided')}</option>
        {records.length > 0 && (
          <optgroup label={t('values.similar')}>
            {records.map(({ name, label }) => (
              <option key={name} value={USE + name}>
                {label}
              </option>
            ))}
          </optgroup>
        )}
        <option value={OTHER}>{t(`values.${field}.other`)}</option>
        <option value={KEEP}>
          {field === 'driver' && refusesUnknown ? t('values.driver.keepRefused') : t(`values.${field}.keep`)}
        </option>
      </Select>
      {best && choice === null && !isSearching && (
        <Button
          size={28}
          variant="ghost"
          icon={Sparkles}
          className="max-w-full self-start"
          onClick={() => onChoose({ choice: 'use', target: best })}
        >
          <span className="truncate">{t('values.use', { name: best.label })}</span>{' '}
          <span className="sr-only">{t('values.useFor', { value: value.value })}</span>
        </Button>
      )}
      {isSearching && (
        <LookupField
          label={t(`values.${field}.existing`, { value: value.value })}
          error={undefined}
          optional
          strict
          inline
          lookup={lookups[field]}
          value=""
          onChange={(name, record) => {
            if (!record?.value) return;
            setSearching(false);
            onChoose({ choice: 'use', target: { name, label: record.label || name } });
          }}
        />
      )}
    </div>
  );
}

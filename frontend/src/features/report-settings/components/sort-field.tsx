import { Plus, X } from 'lucide-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, IconButton } from '@/ui/button';
import { FieldGroup } from '@/ui/field-group';
import { Select } from '@/ui/select';
import { DIRECTIONS } from '../kinds';
import type { ReportSort } from '../report-setting-values';

interface SortFieldProps {
  label: string;
  error: string | undefined;
  /** The columns, by which alone it can be sorted. */
  columns: readonly { member: string; title: string }[];
  value: ReportSort[];
  onChange: (sort: ReportSort[]) => void;
}

/** What the rows are ordered by: the first counts most. */
export function SortField({ label, error, columns, value, onChange }: SortFieldProps) {
  const { t } = useTranslation('report-settings');
  const adder = useRef<HTMLButtonElement>(null);
  const free = columns.filter(({ member }) => value.every((sort) => sort.member !== member));
  const [next] = free;

  function change(at: number, changes: Partial<ReportSort>) {
    onChange(value.map((sort, index) => (index === at ? { ...sort, ...changes } : sort)));
  }

  function remove(at: number) {
    onChange(value.filter((_, index) => index !== at));
    // The button that had the focus is gone.
    adder.current?.focus();
  }

  return (
    <FieldGroup legend={label} error={error} hint={t('sort.hint')}>
      <div className="flex flex-col gap-2">
        {value.map(({ member, direction }, index) => (
          <div key={member} className="flex items-center gap-2">
            <Select
              size={32}
              aria-label={t('sort.member', { place: index + 1 })}
              id={`sort-member-${index}`}
              value={member}
              className="flex-1"
              onChange={({ target }) => change(index, { member: target.value })}
            >
              {columns
                .filter((it) => it.member === member || free.includes(it))
                .map(({ member: own, title }) => (
                  <option key={own} value={own}>
                    {title}
                  </option>
                ))}
            </Select>
            <Select
              size={32}
              aria-label={t('sort.direction', { place: index + 1 })}
              id={`sort-direction-${index}`}
              value={direction}
              onChange={({ target }) =>
                change(index, { direction: DIRECTIONS.find((it) => it === target.value) ?? 'asc' })
              }
            >
              {DIRECTIONS.map((entry) => (
                <option key={entry} value={entry}>
                  {t(`sort.${entry}`)}
                </option>
              ))}
            </Select>
            <IconButton
              icon={X}
              size={28}
              label={t('sort.remove', { place: index + 1 })}
              onClick={() => remove(index)}
            />
          </div>
        ))}
        <Button
          ref={adder}
          size={28}
          icon={Plus}
          disabled={!next}
          className="self-start"
          onClick={() => next && onChange([...value, { member: next.member, direction: 'asc' }])}
        >
          {t('sort.add')}
        </Button>
      </div>
    </FieldGroup>
  );
}

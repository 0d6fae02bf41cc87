import { ArrowDown, ArrowUp, GripVertical, Plus, X } from 'lucide-react';
import { type Ref, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, IconButton } from '@/ui/button';
import { Checkbox } from '@/ui/checkbox';
import { cn } from '@/ui/cn';
import { Field, FieldGroup } from '@/ui/field';
import { Input, Select } from '@/ui/input';
import { useDragOrder } from '@/ui/use-drag-order';
import type { ReportMember } from './queries';
import {
  DIRECTIONS,
  MAX_COLUMNS,
  moved,
  type ReportColumn,
  type ReportSort,
} from './report-setting-values';

interface ColumnsFieldProps {
  label: string;
  error: string | undefined;
  members: readonly ReportMember[];
  /** Whether a member can be added as a column. */
  isOffered: (member: ReportMember) => boolean;
  value: ReportColumn[];
  onChange: (columns: ReportColumn[]) => void;
  /** The control that adds columns. It gets the focus if the field is invalid. */
  ref?: Ref<HTMLSelectElement>;
}

/** Orders the columns of a report, by drag and drop or with buttons. */
export function ColumnsField({ label, error, members, isOffered, value, onChange, ref }: ColumnsFieldProps) {
  const { t } = useTranslation('report-settings');
  const adder = useRef<HTMLDivElement>(null);
  const [said, setSaid] = useState('');
  const titleOf = (member: string) => members.find((it) => it.member === member)?.title ?? member;
  const free = members.filter((own) => isOffered(own) && value.every(({ member }) => member !== own.member));

  function add(member: string) {
    if (!member) return;
    onChange([...value, { member, label: '', visible: true, width: null }]);
    setSaid(t('columns.added', { column: titleOf(member), place: value.length + 1 }));
  }

  function change(member: string, changes: Partial<ReportColumn>) {
    onChange(value.map((column) => (column.member === member ? { ...column, ...changes } : column)));
  }

  function move(member: string, to: number) {
    const from = value.findIndex((column) => column.member === member);
    if (from < 0 || to < 0 || to >= value.length || from === to) return;
    onChange(moved(value, from, to));
    setSaid(t('columns.moved', { column: titleOf(member), place: to + 1 }));
  }

  const drag = useDragOrder(move);

  function remove(member: string) {
    onChange(value.filter((column) => column.member !== member));
    setSaid(t('columns.removed', { column: titleOf(member) }));
    // The button that had the focus was removed, so focus the control that adds a column.
    adder.current?.querySelector('select')?.focus();
  }

  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">{label}</legend>
      {value.length > 0 && (
        <ol aria-label={label} className="flex flex-col divide-y divide-line rounded-control border border-line">
          {value.map(({ member, label: own, visible }, index) => {
            const title = titleOf(member);
            return (
              // Dragging is for the mouse; the buttons beside each column work with any input.
              // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
              <li
                key={member}
                {...drag.row(index)}
                className={cn(
                  'flex flex-wrap items-center gap-x-2 gap-y-1 px-2 py-1.5',
                  drag.dragged === member && 'bg-accent-soft',
                )}
              >
                <span {...drag.handle(member)} title={t('columns.drag')}>
                  <GripVertical className="size-4" />
                </span>
                <Checkbox
                  checked={visible}
                  label={title}
                  title={t('columns.visible')}
                  className="min-w-40 flex-1 items-center"
                  onChange={({ target }) => change(member, { visible: target.checked })}
                />
                <Input
                  size={32}
                  value={own}
                  autoComplete="off"
                  placeholder={title}
                  aria-label={t('columns.label', { column: title })}
                  className="w-44 max-md:order-last max-md:w-full"
                  onChange={({ target }) => change(member, { label: target.value })}
                />
                <span className="flex">
                  <IconButton
                    icon={ArrowUp}
                    size={28}
                    label={t('columns.up', { column: title })}
                    disabled={index === 0}
                    onClick={() => move(member, index - 1)}
                  />
                  <IconButton
                    icon={ArrowDown}
                    size={28}
                    label={t('columns.down', { column: title })}
                    disabled={index === value.length - 1}
                    onClick={() => move(member, index + 1)}
                  />
                  <IconButton
                    icon={X}
                    size={28}
                    label={t('columns.remove', { column: title })}
                    onClick={() => remove(member)}
                  />
                </span>
              </li>
            );
          })}
        </ol>
      )}
      <div ref={adder}>
        <Field label={t('columns.add')} hint={t('columns.hint')} error={error}>
          <Select
            {...(ref && { ref })}
            value=""
            disabled={free.length === 0 || value.length >= MAX_COLUMNS}
            onChange={({ target }) => add(target.value)}
          >
            <option value="">{t(free.length === 0 ? 'columns.none' : 'columns.choose')}</option>
            {free.map(({ member, title }) => (
              <option key={member} value={member}>
                {title}
              </option>
            ))}
          </Select>
        </Field>
      </div>
      <span aria-live="polite" className="sr-only">
        {said}
      </span>
    </fieldset>
  );
}

interface GroupingFieldProps {
  label: string;
  error: string | undefined;
  /** The visible columns that are dimensions. */
  columns: readonly { member: string; title: string }[];
  value: string[];
  onChange: (members: string[]) => void;
}

/** Selects the columns that rows are grouped by. */
export function GroupingField({ label, error, columns, value, onChange }: GroupingFieldProps) {
  const { t } = useTranslation('report-settings');
  return (
    <FieldGroup legend={label} error={error} hint={t('grouping.hint')}>
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        {columns.map(({ member, title }) => (
          <Checkbox
            key={member}
            id={`group-${member}`}
            label={title}
            checked={value.includes(member)}
            className="min-h-7 items-center pointer-coarse:min-h-11"
            onChange={({ target }) =>
              onChange(
                target.checked ? [...value, member] : value.filter((entry) => entry !== member),
              )
            }
          />
        ))}
        {columns.length === 0 && <p className="text-sm text-muted">{t('grouping.none')}</p>}
      </div>
    </FieldGroup>
  );
}

interface SortFieldProps {
  label: string;
  error: string | undefined;
  /** The selected columns; only these can be sorted by. */
  columns: readonly { member: string; title: string }[];
  value: ReportSort[];
  onChange: (sort: ReportSort[]) => void;
}

/** Selects the columns to sort by, in the order of their priority. */
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
    // The button that had the focus was removed, so focus the button that adds a sort column.
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

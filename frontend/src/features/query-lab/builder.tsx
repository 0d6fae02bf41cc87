import { Calendar, Hash, type LucideIcon, Plus, Sigma, X } from 'lucide-react';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { memberLookup } from '@/domain/analytics/lookups';
import { useAuth } from '@/auth/use-auth';
import { GRANULARITIES, type MetaMember } from '@/domain/analytics/query';
import { recentDays } from '@/lib/dates';
import { DAY_PRESETS, isRelativeDays, relativeRange } from '@/list/date-values';
import { FilterChips } from '@/list/filter-chip';
import { FilterMenu } from '@/list/filter-menu';
import type { Filter } from '@/list/filters-codec';
import {
  type FilterField,
  OPTIONAL_RANGE_OPERATORS,
  OPTIONAL_TEXT_OPERATORS,
} from '@/list/resource';
import { IconButton } from '@/ui/button';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuTrigger,
} from '@/ui/dropdown-menu';
import { Input, Select } from '@/ui/input';
import { Segmented } from '@/ui/tabs';
import { controlOfRow, firstControl, useFocusFallback } from '@/ui/use-focus-fallback';
import { type Draft, type DraftTime, MAX_LIMIT, type RangeName, RANGES } from './draft';
import type { Members } from './use-lab';

interface BuilderProps {
  draft: Draft;
  members: Members;
  /** The time zone of the organization. */
  timeZone: string;
  onChange: (draft: Draft) => void;
}

/** The time zone of a query that has none. */
const DEFAULT_ZONE = 'UTC';
const ALL_TIME = 'all';
const CUSTOM = 'custom';
const rangeNames = Object.keys(RANGES) as RangeName[];

export function Builder({ draft, members, timeZone, onChange }: BuilderProps) {
  const { t } = useTranslation('query-lab');
  const { measures, dimensions, time, order, timezone: zone = DEFAULT_ZONE } = draft;
  const set = (changes: Partial<Draft>) => onChange({ ...draft, ...changes });
  const sortable = [...measures, ...dimensions, ...(time?.granularity ? [time.dimension] : [])];
  return (
    <div className="flex flex-col divide-y divide-line">
      <MemberList
        title={t('measures')}
        icon={Sigma}
        chosen={measures}
        offered={members.measures}
        onChange={(next) => set({ measures: next })}
      />
      <MemberList
        title={t('dimensions')}
        icon={Hash}
        chosen={dimensions}
        offered={members.dimensions}
        onChange={(next) => set({ dimensions: next })}
      />
      <TimePart {...{ time, members }} timeZone={zone} onChange={(next) => set({ time: next })} />
      {zone !== timeZone && (
        <p className="flex items-center justify-between gap-3 px-4 py-3 text-sm text-muted">
          {t('timeZone')}
          <span className="min-w-0 truncate text-fg">{zone}</span>
        </p>
      )}
      <FilterPart {...{ draft, members }} timeZone={zone} onChange={(filters) => set({ filters })} />
      <Part
        title={t('order')}
        add={
          <AddMenu
            label={t('addOrder')}
            members={sortable
              .filter((name) => order.every(([member]) => member !== name))
              .map((name) => ({ name, title: members.titleOf(name) }))}
            onAdd={(name) => set({ order: [...order, [name, 'desc']] })}
          />
        }
      >
        {order.map(([member, direction], index) => (
          <li key={member} className="flex items-center gap-2">
            <span className="min-w-0 flex-1 truncate text-sm">{members.titleOf(member)}</span>
            <Segmented
              label={t('directionOf', { member: members.titleOf(member) })}
              value={direction}
              onChange={(next) => set({ order: order.map((entry, at) => (at === index ? [member, next] : entry)) })}
              segments={[
                { value: 'asc', label: t('asc') },
                { value: 'desc', label: t('desc') },
              ]}
            />
            <IconButton
              icon={X}
              size={28}
              label={t('remove', { member: members.titleOf(member) })}
              onClick={() => set({ order: order.filter((_, at) => at !== index) })}
            />
          </li>
        ))}
      </Part>
      <label className="flex items-center justify-between gap-3 px-4 py-3 text-sm text-muted">
        {t('limit')}
        <Input
          type="number"
          size={32}
          min={1}
          max={MAX_LIMIT}
          value={draft.limit}
          className="w-28"
          inputClassName="text-end tabular-nums"
          onChange={({ target }) => {
            const limit = Math.trunc(target.valueAsNumber);
            if (limit >= 1) set({ limit: Math.min(MAX_LIMIT, limit) });
          }}
        />
      </label>
    </div>
  );
}

function Part({ title, add, children }: { title: string; add: ReactNode; children: ReactNode }) {
  const section = useFocusFallback<HTMLElement>((part, otherRows) => controlOfRow(otherRows) ?? firstControl(part));
  return (
    <section ref={section} aria-label={title} className="px-4 py-3">
      <div className="flex items-center justify-between">
        <h3 className="caps text-muted">{title}</h3>
        {add}
      </div>
      <ul className="mt-1 flex flex-col gap-1.5 empty:hidden">{children}</ul>
    </section>
  );
}

interface AddMenuProps {
  label: string;
  members: readonly { name: string; title: string }[];
  onAdd: (name: string) => void;
}

function AddMenu({ label, members, onAdd }: AddMenuProps) {
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <IconButton icon={Plus} size={28} label={label} disabled={members.length === 0} />
      </DropdownMenuTrigger>
      <DropdownMenuContent size="list">
        {members.map(({ name, title }) => (
          <DropdownMenuItem key={name} onSelect={() => onAdd(name)}>
            <span className="flex-1">{title}</span>
            <span className="ps-4 text-xs text-muted">{name}</span>
          </DropdownMenuItem>
        ))}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}

interface MemberListProps {
  title: string;
  icon: LucideIcon;
  chosen: readonly string[];
  offered: readonly MetaMember[];
  onChange: (members: string[]) => void;
}

function MemberList({ title, icon, chosen, offered, onChange }: MemberListProps) {
  const { t } = useTranslation('query-lab');
  return (
    <Part
      title={title}
      add={
        <AddMenu
          label={t('addTo', { part: title })}
          members={offered.filter(({ name }) => !chosen.includes(name))}
          onAdd={(name) => onChange([...chosen, name])}
        />
      }
    >
      {chosen.map((name) => (
        <li key={name}>
          <Pill
            icon={icon}
            name={name}
            title={offered.find((member) => member.name === name)?.title ?? name}
            onRemove={() => onChange(chosen.filter((entry) => entry !== name))}
          />
        </li>
      ))}
    </Part>
  );
}

interface PillProps {
  icon: LucideIcon;
  name: string;
  title: string;
  onRemove: () => void;
}

function Pill({ icon: Icon, name, title, onRemove }: PillProps) {
  const { t } = useTranslation('query-lab');
  const [cube = '', member = ''] = name.split('.');
  return (
    <span className="flex h-8 items-center gap-2 rounded-control border border-line2 bg-surface ps-2.5 text-sm" data-tip={title}>
      <Icon aria-hidden className="size-3.5 shrink-0 text-accent" />
      <span className="min-w-0 flex-1 truncate">
        <span className="text-muted">{cube}.</span>
        {member}
      </span>
      <button
        type="button"
        aria-label={t('remove', { member: title })}
        data-tip={t('remove', { member: title })}
        className="hit-target flex h-full w-7 shrink-0 items-center justify-center rounded-e-control text-muted hover:bg-raised hover:text-fg focus-visible:-outline-offset-1"
        onClick={onRemove}
      >
        <X aria-hidden className="size-3.5" />
      </button>
    </span>
  );
}

interface TimePartProps {
  time: DraftTime | undefined;
  members: Members;
  timeZone: string;
  onChange: (time: DraftTime | undefined) => void;
}

function TimePart({ time, members, timeZone, onChange }: TimePartProps) {
  const { t } = useTranslation(['query-lab', 'report-settings']);
  const range = time?.range;
  const custom = typeof range === 'object' ? range : undefined;

  function chooseRange(text: string) {
    if (!time) return;
    const name = rangeNames.find((entry) => entry === text);
    const { from, to } = recentDays(7, timeZone);
    onChange({ ...time, range: name ?? (text === CUSTOM ? [from, to] : undefined) });
  }

  return (
    <Part
      title={t('time')}
      add={
        <AddMenu
          label={t('addTo', { part: t('time') })}
          members={time ? [] : members.times}
          onAdd={(dimension) => onChange({ dimension, granularity: 'day', range: 'last7days' })}
        />
      }
    >
      {time && (
        <li className="flex flex-col gap-1.5">
          <Pill
            icon={Calendar}
            name={time.dimension}
            title={members.titleOf(time.dimension)}
            onRemove={() => onChange(undefined)}
          />
          <span className="grid grid-cols-2 gap-1.5">
            <Select
              size={32}
              aria-label={t('granularity')}
              value={time.granularity ?? ''}
              onChange={({ target }) =>
                onChange({ ...time, granularity: GRANULARITIES.find((entry) => entry === target.value) })
              }
            >
              <option value="">{t('noGranularity')}</option>
              {GRANULARITIES.map((granularity) => (
                <option key={granularity} value={granularity}>
                  {t(`report-settings:granularities.${granularity}`)}
                </option>
              ))}
            </Select>
            <Select
              size={32}
              aria-label={t('range')}
              value={custom ? CUSTOM : typeof range === 'string' ? range : ALL_TIME}
              onChange={({ target }) => chooseRange(target.value)}
            >
              <option value={ALL_TIME}>{t('ranges.all')}</option>
              {rangeNames.map((name) => (
                <option key={name} value={name}>
                  {t(`ranges.${name}`)}
                </option>
              ))}
              <option value={CUSTOM}>{t('ranges.custom')}</option>
            </Select>
          </span>
          {custom && (
            <span className="grid grid-cols-2 gap-1.5">
              {(['from', 'to'] as const).map((end, index) => (
                <Input
                  key={end}
                  type="date"
                  size={32}
                  aria-label={t(end)}
                  value={custom[index]}
                  onChange={({ target }) => {
                    if (!target.value) return;
                    const [from, to] = custom;
                    onChange({ ...time, range: index === 0 ? [target.value, to] : [from, target.value] });
                  }}
                />
              ))}
            </span>
          )}
        </li>
      )}
    </Part>
  );
}

/** Converts a named date range of the list to the days that a query needs. */
function withDays(filter: Filter, timeZone: string): Filter {
  const [first] = filter.values;
  if (filter.operator !== 'inDateRange' || !first || !isRelativeDays(first.value)) return filter;
  const { from, to } = relativeRange(first.value, timeZone);
  return { ...filter, values: [from, to].map((day) => ({ label: day, value: day })) };
}

interface FilterPartProps {
  draft: Draft;
  members: Members;
  timeZone: string;
  onChange: (filters: Draft['filters']) => void;
}

function FilterPart({ draft: { filters }, members, timeZone, onChange }: FilterPartProps) {
  const { t } = useTranslation('query-lab');
  const { getToken } = useAuth();
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const fields = useMemo(
    () => [
      ...members.dimensions.map(({ name, title }): FilterField => ({
        key: name,
        label: title,
        kind: 'text',
        operators: OPTIONAL_TEXT_OPERATORS,
        lookup: memberLookup(name, { getToken, timezone: timeZone }),
      })),
      ...members.times.map(({ name, title }): FilterField => ({
        key: name,
        label: title,
        kind: 'date-range',
        operators: OPTIONAL_RANGE_OPERATORS,
        presets: DAY_PRESETS,
      })),
    ],
    [members, getToken, timeZone],
  );
  const changeWithDays = (next: Filter[]) => onChange(next.map((filter) => withDays(filter, timeZone)));
  return (
    <section aria-label={t('filters')} className="px-4 py-3">
      <h3 className="caps mb-2 text-muted">{t('filters')}</h3>
      <FilterChips
        {...{ fields, filters, timeZone, button }}
        label={t('filters')}
        className="mb-2 flex flex-col gap-1.5 empty:hidden"
        onChange={changeWithDays}
      />
      <FilterMenu
        {...{ fields, timeZone, button, open }}
        filters={[...filters]}
        onOpenChange={setOpen}
        onChange={changeWithDays}
      />
    </section>
  );
}

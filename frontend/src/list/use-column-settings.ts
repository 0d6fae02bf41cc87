import { useCallback, useMemo, useState } from 'react';
import * as v from 'valibot';
import { readStored, writeStored } from '@/lib/stored-json';
import type { ListColumn } from './resource';

export const DENSITIES = ['compact', 'default', 'comfortable'] as const;
export type Density = (typeof DENSITIES)[number];

export interface ColumnSettings {
  /** Ids of all columns in the order to show. */
  order: string[];
  hidden: string[];
}

type SettingsColumn = Pick<ListColumn<never>, 'id' | 'locked' | 'initiallyHidden'>;

const storedSchema = v.object({
  order: v.array(v.string()),
  hidden: v.array(v.string()),
});
const densitySchema = v.picklist(DENSITIES);

export function defaultSettings(columns: readonly SettingsColumn[]): ColumnSettings {
  return {
    order: columns.map(({ id }) => id),
    hidden: columns.filter(({ initiallyHidden }) => initiallyHidden).map(({ id }) => id),
  };
}

/** Returns the columns that are not hidden, in the order to show. */
export function shownColumns<Column extends SettingsColumn>(
  columns: readonly Column[],
  { order, hidden }: ColumnSettings,
): Column[] {
  return order
    .filter((id) => !hidden.includes(id))
    .flatMap((id) => columns.filter((column) => column.id === id));
}

/** What was stored may come from an older release: columns it does not know keep their place at the end. */
export function reconcile(
  stored: ColumnSettings,
  columns: readonly SettingsColumn[],
): ColumnSettings {
  const known = new Map(columns.map((column) => [column.id, column]));
  const order = [...new Set(stored.order)].filter((id) => known.has(id));
  const added = columns.filter(({ id }) => !order.includes(id));
  const locked = columns.filter(({ locked: fixed }) => fixed).map(({ id }) => id);
  return {
    order: [
      ...locked,
      ...[...order, ...added.map(({ id }) => id)].filter((id) => !locked.includes(id)),
    ],
    hidden: [
      ...new Set([
        ...stored.hidden.filter((id) => known.has(id) && !locked.includes(id)),
        ...added.filter(({ initiallyHidden }) => initiallyHidden).map(({ id }) => id),
      ]),
    ],
  };
}

/** Swaps a shown column with its shown neighbour; a locked one does not give way. */
export function moveColumn(
  settings: ColumnSettings,
  id: string,
  step: -1 | 1,
  columns: readonly SettingsColumn[],
): ColumnSettings {
  const shown = settings.order.filter((entry) => !settings.hidden.includes(entry));
  const neighbour = shown[shown.indexOf(id) + step];
  const isLocked = columns.some((column) => column.id === neighbour && column.locked);
  if (neighbour === undefined || isLocked) return settings;
  return {
    ...settings,
    order: settings.order.map((entry) =>
      entry === id ? neighbour : entry === neighbour ? id : entry,
    ),
  };
}

export function useColumnSettings(name: string, columns: readonly SettingsColumn[]) {
  const key = `waybill.list.${name}.columns`;
  const [settings, setSettings] = useState(() =>
    reconcile(
      readStored(key, (value) => v.parse(storedSchema, value), defaultSettings(columns)),
      columns,
    ),
  );
  const change = useCallback(
    (next: ColumnSettings) => {
      setSettings(next);
      writeStored(key, next);
    },
    [key],
  );
  return useMemo(
    () => ({
      settings,
      reset: () => change(defaultSettings(columns)),
      toggle: (id: string) =>
        change({
          ...settings,
          hidden: settings.hidden.includes(id)
            ? settings.hidden.filter((entry) => entry !== id)
            : [...settings.hidden, id],
        }),
      move: (id: string, step: -1 | 1) => change(moveColumn(settings, id, step, columns)),
    }),
    [settings, change, columns],
  );
}

export function useDensity(name: string): [Density, (density: Density) => void] {
  const key = `waybill.list.${name}.density`;
  const [density, setDensity] = useState<Density>(() =>
    readStored(key, (value) => v.parse(densitySchema, value), 'default'),
  );
  const change = useCallback(
    (next: Density) => {
      setDensity(next);
      writeStored(key, next);
    },
    [key],
  );
  return [density, change];
}

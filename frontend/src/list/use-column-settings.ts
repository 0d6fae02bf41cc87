import { useCallback, useMemo, useState } from 'react';
import * as v from 'valibot';
import { decodeBase64, encodeBase64 } from '@/lib/base64';
import { readStored, writeStored } from '@/lib/stored-json';
import { useSearch } from '@/routing/use-search';
import type { ListColumn } from './resource';

export const DENSITIES = ['compact', 'default', 'comfortable'] as const;
export type Density = (typeof DENSITIES)[number];

export interface ColumnSettings {
  /** All column ids in display order. */
  order: string[];
  hidden: string[];
  /** IDs of the columns that the user pinned. Locked columns are always pinned. */
  pinned: string[];
  /** Widths set by the user in pixels; other columns are fitted. */
  widths: Record<string, number>;
}

export const MIN_WIDTH = 60;
const MAX_WIDTH = 600;

const within = (width: number) => Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));

type SettingsColumn = Pick<ListColumn<never>, 'id' | 'locked' | 'initiallyHidden'>;

export const columnsSchema = v.object({
  order: v.array(v.string()),
  hidden: v.array(v.string()),
  // Missing in settings that an older release stored.
  pinned: v.optional(v.array(v.string()), []),
  widths: v.optional(v.record(v.string(), v.number()), {}),
});
const densitySchema = v.picklist(DENSITIES);

export function defaultSettings(columns: readonly SettingsColumn[]): ColumnSettings {
  return {
    order: columns.map(({ id }) => id),
    hidden: columns.filter(({ initiallyHidden }) => initiallyHidden).map(({ id }) => id),
    pinned: [],
    widths: {},
  };
}

/** Returns the visible columns in order, with the user's widths. */
export function shownColumns<Column extends SettingsColumn & { width: number; grow?: number }>(
  columns: readonly Column[],
  { order, hidden, pinned, widths }: ColumnSettings,
): Column[] {
  const shown = order
    .filter((id) => !hidden.includes(id))
    .flatMap((id) => columns.filter((column) => column.id === id));
  const rank = ({ id, locked }: Column) => (locked ? 0 : pinned.includes(id) ? 1 : 2);
  return shown
    .toSorted((one, other) => rank(one) - rank(other))
    .map((column) => {
      const width = widths[column.id];
      return width === undefined ? column : { ...column, width, grow: 0 };
    });
}

/** Merges stored settings with the current columns. Columns that the settings do not know are appended. */
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
    pinned: [...new Set(stored.pinned)].filter((id) => known.has(id) && !locked.includes(id)),
    widths: Object.fromEntries(
      Object.entries(stored.widths)
        .filter(([id]) => known.has(id))
        .map(([id, width]) => [id, within(width)]),
    ),
  };
}

/** URL parameter for column settings. The addresses of saved views contain it. */
export const COLUMNS_PARAMETER = 'columns';

// Longer values are ignored, because URLs are untrusted.
const MAX_LENGTH = 8192;

export function encodeColumns(settings: ColumnSettings): string {
  return encodeBase64(JSON.stringify(settings));
}

/** Parses the output of `encodeColumns` for the existing columns; undefined if unusable. */
export function decodeColumns(
  text: string | null,
  columns: readonly SettingsColumn[],
): ColumnSettings | undefined {
  if (text === null || text.length > MAX_LENGTH) return undefined;
  try {
    return reconcile(v.parse(columnsSchema, JSON.parse(decodeBase64(text))), columns);
  } catch {
    return undefined;
  }
}

/** Moves a visible column to a position among the visible ones. Locked columns stay in front. */
export function placeColumn(
  settings: ColumnSettings,
  id: string,
  to: number,
  columns: readonly SettingsColumn[],
): ColumnSettings {
  const isLocked = (entry: string) => columns.some((column) => column.id === entry && column.locked);
  const shown = settings.order.filter((entry) => !settings.hidden.includes(entry));
  const from = shown.indexOf(id);
  const target = shown[to];
  if (from < 0 || from === to || target === undefined || isLocked(id) || isLocked(target)) {
    return settings;
  }
  const placed = shown.toSpliced(from, 1).toSpliced(to, 0, id).values();
  // Hidden columns keep their positions in between.
  const order = settings.order.map((entry) =>
    settings.hidden.includes(entry) ? entry : (placed.next().value ?? entry),
  );
  return { ...settings, order };
}

/** Swaps a visible column with its visible neighbor; locked columns stay in front. */
export function moveColumn(
  settings: ColumnSettings,
  id: string,
  step: -1 | 1,
  columns: readonly SettingsColumn[],
): ColumnSettings {
  const shown = settings.order.filter((entry) => !settings.hidden.includes(entry));
  return placeColumn(settings, id, shown.indexOf(id) + step, columns);
}

export interface ColumnControl {
  settings: ColumnSettings;
  reset: () => void;
  toggle: (id: string) => void;
  move: (id: string, step: -1 | 1) => void;
  /** Moves a column to a position among the visible ones, counted from 0. */
  place: (id: string, to: number) => void;
  pin: (id: string) => void;
  /** Sets the width of a column; undefined restores the automatic width. */
  resize: (id: string, width: number | undefined) => void;
}

/**
 * The user's column settings, stored in this browser. Columns in the URL take precedence, and changes then go to the
 * URL, so that looking at a saved view leaves the user's own settings alone.
 */
export function useColumnSettings(name: string, columns: readonly SettingsColumn[]): ColumnControl {
  const key = `waybill.list.${name}.columns`;
  const [params, changeSearch] = useSearch();
  const brought = params.get(COLUMNS_PARAMETER);
  const [own, setOwn] = useState(() =>
    reconcile(
      readStored(key, (value) => v.parse(columnsSchema, value), defaultSettings(columns)),
      columns,
    ),
  );
  const settings = useMemo(() => decodeColumns(brought, columns) ?? own, [brought, columns, own]);
  const isBrought = brought !== null;
  const change = useCallback(
    (next: ColumnSettings) => {
      if (isBrought) {
        const put = (latest: URLSearchParams) => {
          const changed = new URLSearchParams(latest);
          changed.set(COLUMNS_PARAMETER, encodeColumns(next));
          return changed;
        };
        changeSearch(put, { replace: true, preventScrollReset: true });
        return;
      }
      setOwn(next);
      writeStored(key, next);
    },
    [key, isBrought, changeSearch],
  );
  return useMemo(() => {
    const without = (ids: string[], id: string) => ids.filter((entry) => entry !== id);
    const switched = (ids: string[], id: string) => (ids.includes(id) ? without(ids, id) : [...ids, id]);
    return {
      settings,
      reset: () => change(defaultSettings(columns)),
      toggle: (id) => change({ ...settings, hidden: switched(settings.hidden, id) }),
      move: (id, step) => change(moveColumn(settings, id, step, columns)),
      place: (id, to) => {
        const next = placeColumn(settings, id, to, columns);
        // A drag calls this many times a second, so store only actual changes.
        if (next !== settings) change(next);
      },
      pin: (id) => change({ ...settings, pinned: switched(settings.pinned, id) }),
      resize: (id, width) => {
        const { [id]: _, ...widths } = settings.widths;
        change({ ...settings, widths: width === undefined ? widths : { ...widths, [id]: within(width) } });
      },
    };
  }, [settings, change, columns]);
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

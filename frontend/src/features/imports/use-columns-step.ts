import { useCallback, useMemo, useRef, useState } from 'react';
import { useMutation, useQuery } from 'urql';
import { normalizeError } from '@/data/errors';
import { usePreviousData } from '@/data/use-record';
import { importMappingQuery, saveImportMappingMutation, type ImportMapping } from './mapping-queries';

export type DateOrder = NonNullable<ImportMapping['dateOrder']>;
export type DecimalSign = NonNullable<ImportMapping['decimalSign']>;

/** What the user has chosen so far for one sheet and header row. */
export interface ColumnChoices {
  fields: (string | null)[];
  dateOrder: DateOrder | null;
  decimalSign: DecimalSign | null;
  defaults: DefaultValue[];
  /** The sheet with the items; null if they have none of their own. */
  items: ItemsChoice | null;
}

export interface ItemsChoice {
  sheet: string;
  headerLine: number;
  fields: (string | null)[];
}

/** A value for all rows that have none. */
export interface DefaultValue {
  field: string;
  value: string;
}

interface Asked {
  sheet?: string;
  headerLine?: number;
  choices?: Omit<ColumnChoices, 'items'>;
  /** Without fields, the server proposes them. An empty name stands for none. */
  items?: { sheet: string; headerLine?: number; fields?: (string | null)[] };
  /** Id of the saved mapping to apply. An empty one stands for none; without any, the server may propose one. */
  savedMapping?: string;
}

/** Lets the server propose everything. */
const UNDECIDED: NonNullable<Asked['choices']> = { fields: [], dateOrder: null, decimalSign: null, defaults: [] };

function questionOf(uploadLog: string, { choices, savedMapping, ...place }: Asked) {
  if (savedMapping === undefined) return { uploadLog, ...place, ...(choices && { choices }) };
  return { uploadLog, ...place, choices: { ...(choices ?? UNDECIDED), savedMapping } };
}

/** A file has either a combined date and time column or a separate date column. */
const DATE_AND_TIME = 'scheduledatetime';
const DATE = 'scheduledate';

/** The number of required fields, and the labels of those with neither a column nor a default value. */
export function requiredFields({ fields }: ImportMapping, choices: ColumnChoices) {
  const required = fields.filter((field) => field.required);
  const given = choices.defaults.filter(({ value }) => value.trim() !== '').map(({ field }) => field);
  const chosen = [...choices.fields, ...(choices.items?.fields ?? []), ...given];
  const has = (name: string) => chosen.includes(name) || (name === DATE_AND_TIME && chosen.includes(DATE));
  return {
    count: required.length,
    missing: required.filter(({ name }) => !has(name)).map(({ label }) => label),
  };
}

/** Whether the server has to say which fields the columns of the items have. */
const isProposed = (items: Asked['items']) => items !== undefined && items.sheet !== '' && !items.fields;

/** The choice about the items: as the user made it, or else as the server proposes. */
function itemsOf({ items }: Asked, mapping: ImportMapping): ItemsChoice | null {
  if (items?.sheet === '') return null;
  if (items?.fields) return { sheet: items.sheet, headerLine: items.headerLine ?? 0, fields: items.fields };
  const proposed = mapping.items;
  return proposed && { sheet: proposed.sheet, headerLine: proposed.headerLine, fields: proposed.chosen };
}

/** Reads what the server proposes and shows for the user's choices, and saves them. */
export function useColumnsStep(uploadLog: string, onSaved: () => void) {
  const [asked, setAsked] = useState<Asked>({});
  const [{ data, error, fetching }, execute] = useQuery({
    query: importMappingQuery,
    variables: useMemo(() => questionOf(uploadLog, asked), [uploadLog, asked]),
    // The proposals change with every saved mapping.
    requestPolicy: 'network-only',
  });
  const mapping = usePreviousData(data?.importMapping, uploadLog);
  const [, save] = useMutation(saveImportMappingMutation);
  const [saving, setSaving] = useState(false);
  const [failure, setFailure] = useState<string>();
  /** The latest draft that wasn't sent yet, and the sending of those before it. */
  const draft = useRef<Parameters<typeof save>[0]>(undefined);
  const sending = useRef<Promise<void>>(undefined);

  const choices: ColumnChoices | undefined = mapping && {
    ...(asked.choices ?? {
      fields: mapping.chosen,
      dateOrder: mapping.dateOrder,
      decimalSign: mapping.decimalSign,
      defaults: mapping.defaults.map(({ field, value }) => ({ field, value })),
    }),
    items: itemsOf(asked, mapping),
  };
  const sheet = mapping?.sheets.find(({ chosen }) => chosen)?.name;
  const applied = mapping?.savedMapping?.id;
  /** What stays the same while the user changes choices. */
  const place = { ...(sheet && { sheet }), ...(applied !== undefined && { savedMapping: applied }) };

  /** Shows what a choice does, and keeps it on the server, so that it can be continued later and in another tab. */
  function ask(next: Required<Pick<Asked, 'headerLine'>> & Asked) {
    setFailure(undefined);
    setAsked(next);
    const { choices: chosen = UNDECIDED, items, ...rest } = next;
    draft.current = {
      input: { uploadLog, ...rest, ...chosen, items: items?.sheet ? items : null, draft: true },
    };
    sending.current ??= sendDrafts().finally(() => {
      sending.current = undefined;
    });
  }

  /** Sends drafts one after the other, so that the last one is kept. */
  async function sendDrafts() {
    for (let next = draft.current; next; next = draft.current) {
      draft.current = undefined;
      const { error } = await save(next);
      if (!error || draft.current) continue;
      const { kind, message, reason } = normalizeError(error);
      // The step shows what is wrong with the choices itself, and submitting goes on if the step was saved elsewhere.
      if (kind !== 'input' && reason !== 'MAPPING_NOT_NEEDED') setFailure(message);
    }
  }

  async function submit() {
    if (!mapping || !choices) return;
    setSaving(true);
    setFailure(undefined);
    draft.current = undefined;
    await sending.current;
    const { headerLine } = mapping;
    const input = { uploadLog, headerLine, ...choices, ...place };
    const answer = await save({ input });
    setSaving(false);
    if (!answer.error) return onSaved();
    const { detail, message, reason } = normalizeError(answer.error);
    // Somebody has saved the step in another tab.
    if (reason === 'MAPPING_NOT_NEEDED') return onSaved();
    setFailure(detail ?? message);
  }

  return {
    mapping,
    error,
    /** Whether the shown mapping is from an earlier read, because the last one failed. */
    isStale: Boolean(error) && !fetching && mapping !== undefined,
    retry: useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]),
    choices,
    saving,
    /** Whether the shown columns are those of another sheet or header row. */
    loading: fetching && (!asked.choices || isProposed(asked.items)),
    failure,
    chooseSheet: (name: string) => {
      const headerLine = mapping?.sheets.find((it) => it.name === name)?.headerLine;
      if (headerLine !== undefined) ask({ sheet: name, headerLine });
    },
    chooseHeader: (headerLine: number) => ask({ ...(sheet && { sheet }), headerLine }),
    change: (changed: Partial<Omit<ColumnChoices, 'items'>>) => {
      if (!mapping || !choices) return;
      const { items, ...others } = choices;
      const { headerLine } = mapping;
      ask({ ...place, headerLine, choices: { ...others, ...changed }, items: items ?? { sheet: '' } });
    },
    /** Without a name, the items have no sheet of their own; without fields, the server proposes them. */
    changeItems: (items: NonNullable<Asked['items']>) => {
      if (!mapping || !choices) return;
      const { items: _, ...others } = choices;
      ask({ ...place, headerLine: mapping.headerLine, choices: others, items });
    },
    /** Replaces the choices about columns with those of a saved mapping or, with an empty id, with the proposals. */
    applySaved: (savedMapping: string) => {
      if (!mapping || !choices) return;
      const { headerLine } = mapping;
      ask({ ...(sheet && { sheet }), headerLine, savedMapping, items: choices.items ?? { sheet: '' } });
    },
    /** Keeps the choices, which were just saved as this mapping. */
    linkSaved: (savedMapping: string) => {
      if (!mapping || !choices) return;
      const { items, ...others } = choices;
      const { headerLine } = mapping;
      ask({ ...place, headerLine, choices: others, items: items ?? { sheet: '' }, savedMapping });
    },
    /** Whether the saved mapping that the user chose was deleted in the meantime. */
    isSavedGone: Boolean(asked.savedMapping) && !fetching && !error && mapping !== undefined && !applied,
    submit: () => void submit(),
  };
}

export type ColumnsStep = ReturnType<typeof useColumnsStep>;

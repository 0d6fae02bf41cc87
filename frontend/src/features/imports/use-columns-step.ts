import { useCallback, useMemo, useState } from 'react';
import { useMutation, useQuery } from 'urql';
import { normalizeError } from '@/data/errors';
import { usePreviousData } from '@/data/use-record';
import { importMappingQuery, saveImportMappingMutation, type ImportMapping } from './queries';

export type DateOrder = NonNullable<ImportMapping['dateOrder']>;
export type DecimalSign = NonNullable<ImportMapping['decimalSign']>;

/** What the user has chosen so far for one sheet and header row. */
export interface ColumnChoices {
  fields: (string | null)[];
  dateOrder: DateOrder | null;
  decimalSign: DecimalSign | null;
  defaults: DefaultValue[];
}

/** A value for all rows that have none. */
export interface DefaultValue {
  field: string;
  value: string;
}

interface Asked {
  sheet?: string;
  headerLine?: number;
  choices?: ColumnChoices;
}

/** Lets the server propose everything. */
const UNDECIDED: ColumnChoices = { fields: [], dateOrder: null, decimalSign: null, defaults: [] };

/** A file has either a combined date and time column or a separate date column. */
const DATE_AND_TIME = 'scheduledatetime';
const DATE = 'scheduledate';

/** The number of required fields, and the labels of those with neither a column nor a default value. */
export function requiredFields({ fields }: ImportMapping, choices: ColumnChoices) {
  const required = fields.filter((field) => field.required);
  const given = choices.defaults.filter(({ value }) => value.trim() !== '').map(({ field }) => field);
  const chosen = [...choices.fields, ...given];
  const has = (name: string) => chosen.includes(name) || (name === DATE_AND_TIME && chosen.includes(DATE));
  return {
    count: required.length,
    missing: required.filter(({ name }) => !has(name)).map(({ label }) => label),
  };
}

/** Reads what the server proposes and shows for the user's choices, and saves them. */
export function useColumnsStep(uploadLog: string, onSaved: () => void) {
  const [asked, setAsked] = useState<Asked>({});
  const [{ data, error, fetching }, execute] = useQuery({
    query: importMappingQuery,
    variables: useMemo(() => ({ uploadLog, ...asked }), [uploadLog, asked]),
    // The proposals change with every saved mapping.
    requestPolicy: 'network-only',
  });
  const mapping = usePreviousData(data?.importMapping, uploadLog);
  const [, save] = useMutation(saveImportMappingMutation);
  const [saving, setSaving] = useState(false);
  const [failure, setFailure] = useState<string>();

  const choices: ColumnChoices | undefined =
    asked.choices ??
    (mapping && {
      fields: mapping.chosen,
      dateOrder: mapping.dateOrder,
      decimalSign: mapping.decimalSign,
      defaults: mapping.defaults.map(({ field, value }) => ({ field, value })),
    });
  const sheet = mapping?.sheets.find(({ chosen }) => chosen)?.name;

  /** Shows what a choice does, and keeps it on the server, so that it can be continued later and in another tab. */
  function ask(next: Required<Pick<Asked, 'headerLine'>> & Asked) {
    setFailure(undefined);
    setAsked(next);
    const { choices: chosen = UNDECIDED, ...place } = next;
    void save({ input: { uploadLog, ...place, ...chosen, draft: true } });
  }

  async function submit() {
    if (!mapping || !choices) return;
    setSaving(true);
    setFailure(undefined);
    const { headerLine } = mapping;
    const input = { uploadLog, headerLine, ...choices, ...(sheet && { sheet }) };
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
    retry: useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]),
    choices,
    saving,
    /** Whether the shown columns are those of another sheet or header row. */
    loading: fetching && !asked.choices,
    failure,
    chooseSheet: (name: string) => {
      const headerLine = mapping?.sheets.find((it) => it.name === name)?.headerLine;
      if (headerLine !== undefined) ask({ sheet: name, headerLine });
    },
    chooseHeader: (headerLine: number) => ask({ ...(sheet && { sheet }), headerLine }),
    change: (changed: Partial<ColumnChoices>) => {
      if (!mapping || !choices) return;
      const { headerLine } = mapping;
      ask({ ...(sheet && { sheet }), headerLine, choices: { ...choices, ...changed } });
    },
    submit: () => void submit(),
  };
}

export type ColumnsStep = ReturnType<typeof useColumnsStep>;

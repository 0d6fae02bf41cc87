import { useState } from 'react';
import type { BoundField } from '@/form/define-form';
import { ruleMessage } from '@/form/rule-message';
import type { Lookup } from '@/list/resource';
import { TextValuesEditor } from '@/list/text-values-editor';

interface UsersFieldProps extends BoundField<string[]> {
  lookup: Lookup;
  /** Names the list of chosen users. */
  listLabel: string;
  hint: string;
}

/** A field for several users, chosen from suggestions. The value holds their usernames. */
export function UsersField({ value, onChange, label, error, lookup, listLabel, hint }: UsersFieldProps) {
  const [typed, setTyped] = useState('');
  return (
    <TextValuesEditor
      values={value.map((name) => ({ label: name, value: name }))}
      text={typed}
      lookup={lookup}
      freeText={false}
      label={label}
      listLabel={listLabel}
      hint={hint}
      error={ruleMessage(label, error)}
      onChange={(values, text) => {
        setTyped(text);
        const names = values.map(({ value: own }) => own);
        if (names.join() !== value.join()) onChange(names);
      }}
    />
  );
}

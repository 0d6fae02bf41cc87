import { useMemo } from 'react';
import { useMutation, useQuery } from 'urql';
import {
  createSavedMappingMutation,
  deleteSavedMappingMutation,
  type ImportMapping,
  renameSavedMappingMutation,
  savedMappingsQuery,
} from './mapping-queries';
import type { ColumnChoices } from './use-columns-step';

const context = { additionalTypenames: ['SavedImportMapping'] };

/** Where the headings of a file are. */
function placeOf(uploadLog: string, { sheets, headerLine }: ImportMapping) {
  const sheet = sheets.find(({ chosen }) => chosen)?.name;
  return { uploadLog, headerLine, ...(sheet && { sheet }) };
}

/** All saved mappings, and how each fits the file. */
export function useSavedMappings(uploadLog: string, mapping: ImportMapping) {
  const [{ data, error, fetching }, execute] = useQuery({
    query: savedMappingsQuery,
    variables: useMemo(() => placeOf(uploadLog, mapping), [uploadLog, mapping]),
    requestPolicy: 'cache-and-network',
    context,
  });
  const retry = () => execute({ requestPolicy: 'network-only' });
  return { mappings: data?.importMappings, error, fetching, retry };
}

export function useSaveMapping() {
  const [, create] = useMutation(createSavedMappingMutation);
  const [, rename] = useMutation(renameSavedMappingMutation);
  const [, remove] = useMutation(deleteSavedMappingMutation);
  return {
    create: (uploadLog: string, mapping: ImportMapping, choices: ColumnChoices, name: string, replace: boolean) => {
      const { items: _, ...saved } = choices;
      return create({ input: { ...placeOf(uploadLog, mapping), ...saved, name, replace } }, context);
    },
    rename: (id: string, name: string) => rename({ input: { id, name } }, context),
    remove: (id: string) => remove({ input: { id } }, context),
  };
}

import type { UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { useSave } from '@/form/use-save';
import { routes } from '@/routing/routes';
import { toast } from '@/ui/toast';
import { type Source, sourceVersionQuery, updateSourceMutation } from './queries';
import { SOURCE_FIELDS, type SourceValues, sourceInput } from './source-values';

/** Saves a source and goes back to its page. */
export function useSaveSource(
  { id }: Pick<Source, 'id'>,
  setError: UseFormSetError<SourceValues>,
) {
  const { t } = useTranslation('sources');
  const navigate = useNavigate();
  const [, execute] = useMutation(updateSourceMutation);
  const { attempt, ...saving } = useSave({
    versionQuery: sourceVersionQuery,
    fields: SOURCE_FIELDS,
    setError,
  });

  function save(version: number, values: SourceValues) {
    const input = { id, version, ...sourceInput(values) };
    return attempt({
      key: { id },
      version,
      send: () => execute({ input }),
      onSaved: async () => {
        toast.success(t('edit.done', { name: input.name }));
        await navigate(routes.viewSource({ sourceId: id }));
      },
    });
  }

  return { ...saving, save };
}

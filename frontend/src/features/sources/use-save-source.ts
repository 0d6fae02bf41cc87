import { useRef, useState } from 'react';
import type { UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { type AppError, normalizeError } from '@/data/errors';
import { showFieldErrors } from '@/form/server-errors';
import { type Conflict, useConflict } from '@/form/use-conflict';
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
  const findConflict = useConflict(sourceVersionQuery);
  const [failure, setFailure] = useState<AppError>();
  const [conflict, setConflict] = useState<Conflict>();
  // A second press may come before the page is gone.
  const isSaved = useRef(false);

  function forget() {
    setFailure(undefined);
    setConflict(undefined);
  }

  async function save(version: number, values: SourceValues) {
    if (isSaved.current) return;
    forget();
    const input = { id, version, ...sourceInput(values) };
    const { data, error } = await execute({ input });
    if (data) {
      isSaved.current = true;
      toast.success(t('edit.done', { name: input.name }));
      await navigate(routes.viewSource({ sourceId: id }));
      return;
    }
    const failed = normalizeError(error);
    const found = await findConflict(failed, { id }, version);
    setConflict(found);
    if (found) return;
    setFailure(failed);
    showFieldErrors(failed, SOURCE_FIELDS, setError);
  }

  return { failure, conflict, save, forget };
}

import { useRef, useState } from 'react';
import type { UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { type AppError, normalizeError } from '@/data/errors';
import { showFieldErrors } from '@/form/server-errors';
import { routes } from '@/routing/routes';
import { toast } from '@/ui/toast';
import { createSourceMutation } from './queries';
import { SOURCE_FIELDS, type SourceValues, sourceInput } from './source-values';

/** Makes the source and goes on to its page. */
export function useNewSource(setError: UseFormSetError<SourceValues>) {
  const { t } = useTranslation('sources');
  const navigate = useNavigate();
  const [, execute] = useMutation(createSourceMutation);
  const [failure, setFailure] = useState<AppError>();
  // A second press may come before the page is gone.
  const isMade = useRef(false);

  async function save(values: SourceValues) {
    if (isMade.current) return;
    setFailure(undefined);
    const { data, error } = await execute({ input: sourceInput(values) });
    if (data) {
      isMade.current = true;
      const { id, name } = data.createSource;
      toast.success(t('new.done', { name }));
      await navigate(routes.viewSource({ sourceId: id }));
      return;
    }
    const failed = normalizeError(error);
    setFailure(failed);
    showFieldErrors(failed, SOURCE_FIELDS, setError);
  }

  return { failure, save };
}

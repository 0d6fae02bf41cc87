import { useRef, useState } from 'react';
import type { UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { type AppError, errorText, normalizeError } from '@/data/errors';
import { showFieldErrors } from '@/form/server-errors';
import { type Conflict, useConflict } from '@/form/use-conflict';
import { toast } from '@/ui/toast';
import { type Setting, settingVersionQuery, updateSettingValueMutation } from './queries';
import { sentValue } from './setting-rules';

export interface SettingValues {
  value: string;
}

/** Saves the value of a setting and goes back to the list. */
export function useSaveSetting(
  setting: Pick<Setting, 'id' | 'type'>,
  back: string,
  setError: UseFormSetError<SettingValues>,
) {
  const { t } = useTranslation('settings');
  const navigate = useNavigate();
  const [, execute] = useMutation(updateSettingValueMutation);
  const findConflict = useConflict(settingVersionQuery);
  const [failure, setFailure] = useState<AppError>();
  const [conflict, setConflict] = useState<Conflict>();
  // A second press may come before the page is gone.
  const isSaved = useRef(false);

  function forget() {
    setFailure(undefined);
    setConflict(undefined);
  }

  async function save(version: number, values: SettingValues) {
    if (isSaved.current) return;
    forget();
    const { id } = setting;
    const input = { id, value: sentValue(setting, values.value), version };
    const { data, error } = await execute({ input });
    if (data) {
      isSaved.current = true;
      toast.success(t('edit.done'));
      await navigate(back);
      return;
    }
    const failed = normalizeError(error);
    toast.error(errorText(failed));
    const found = await findConflict(failed, { id }, version);
    setConflict(found);
    if (found) return;
    setFailure(failed);
    showFieldErrors(failed, ['value'], setError);
  }

  return { failure, conflict, save, forget };
}

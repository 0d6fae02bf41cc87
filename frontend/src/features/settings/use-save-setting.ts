import type { UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { errorText } from '@/data/errors';
import { useSave } from '@/form/use-save';
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
  const { attempt, ...saving } = useSave({
    versionQuery: settingVersionQuery,
    fields: ['value'],
    setError,
  });

  function save(version: number, values: SettingValues) {
    const { id } = setting;
    const input = { id, value: sentValue(setting, values.value), version };
    return attempt({
      key: { id },
      version,
      send: () => execute({ input }),
      onSaved: async () => {
        toast.success(t('edit.done'));
        await navigate(back);
      },
      onRefused: (failed) => toast.error(errorText(failed)),
    });
  }

  return { ...saving, save };
}

import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { toast } from '@/ui/toast';
import { deleteReportSettingMutation, type ReportSettingRow } from '../queries';

interface DeleteReportSettingDialogProps {
  setting: Pick<ReportSettingRow, 'id' | 'name' | 'version'>;
  onDeleted?: () => void;
  onClose: () => void;
}

// Its answer names no type, and the list has to be read anew.
const context = { additionalTypenames: ['ReportSetting'] };

export function DeleteReportSettingDialog(props: DeleteReportSettingDialogProps) {
  const { setting, onDeleted, onClose } = props;
  const { id, name, version } = setting;
  const { t } = useTranslation('report-settings');
  const [, execute] = useMutation(deleteReportSettingMutation);

  async function remove(): Promise<string | undefined> {
    const { error } = await execute({ input: { id, version } }, context);
    if (error) return errorText(normalizeError(error));
    toast.success(t('delete.done', { name }));
    onDeleted?.();
    return undefined;
  }

  return (
    <ConfirmDialog
      danger
      title={t('delete.question', { name })}
      text={t('delete.text')}
      confirm={t('delete.verb')}
      busy={t('delete.busy')}
      onConfirm={remove}
      onClose={onClose}
    />
  );
}

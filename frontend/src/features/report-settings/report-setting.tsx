import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { useRecord } from '@/data/use-record';
import { useRecordName } from '@/shell/current-record';
import { ConfirmDialog } from '@/ui/dialog';
import { Panel } from '@/ui/panel';
import { Skeleton } from '@/ui/skeleton';
import { toast } from '@/ui/toast';
import { deleteReportSettingMutation, reportSettingQuery, type ReportSettingRow } from './queries';

export function useReportSetting(id: string) {
  const result = useRecord({
    document: reportSettingQuery,
    variables: { id },
    typenames: ['ReportSetting'],
    read: ({ reportSetting }) => reportSetting,
  });
  useRecordName(result.value?.name);
  return result;
}

interface DeleteReportSettingDialogProps {
  setting: Pick<ReportSettingRow, 'id' | 'name' | 'version'>;
  onDeleted?: () => void;
  onClose: () => void;
}

// The response contains no type name. Without this context, the list would not refetch.
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

/** Skeleton in the layout of the form, so that nothing shifts when it loads. */
export function ReportSettingSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')}>
      <Skeleton className="mb-4 h-8 w-64" />
      <Panel className="flex max-w-[720px] flex-col gap-5 p-4">
        {Array.from({ length: 6 }, (_, index) => (
          <div key={index} className="flex flex-col gap-2">
            <Skeleton className="h-2.5 w-24 rounded-full" />
            <Skeleton className="h-9" />
          </div>
        ))}
      </Panel>
    </div>
  );
}

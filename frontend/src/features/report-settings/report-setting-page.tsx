import { Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { useForm, type UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { type AppError, normalizeError } from '@/data/errors';
import { RecordState } from '@/data/query-state';
import { PageForm } from '@/form/page-form';
import { showFieldErrors, useBase, useEventId, useSave } from '@/form/use-save';
import { routes, useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { StatusChip } from '@/ui/status-chip';
import { toast } from '@/ui/toast';
import {
  createReportSettingMutation,
  type ReportSetting,
  reportSettingVersionQuery,
  updateReportSettingMutation,
} from './queries';
import {
  DeleteReportSettingDialog,
  ReportSettingSkeleton,
  useReportSetting,
} from './report-setting';
import { ReportSettingFields, useReportSettingLabels } from './report-setting-fields';
import {
  NEW_ID,
  NEW_REPORT_SETTING,
  REPORT_SETTING_FIELDS,
  reportSettingInput,
  type ReportSettingValues,
  reportSettingValues,
} from './report-setting-values';

/** Saves a report setting and goes back to the list. */
function useSaveReportSetting(id: string, setError: UseFormSetError<ReportSettingValues>) {
  const { t } = useTranslation('report-settings');
  const navigate = useNavigate();
  const [, execute] = useMutation(updateReportSettingMutation);
  const { attempt, ...saving } = useSave({
    versionQuery: reportSettingVersionQuery,
    fields: REPORT_SETTING_FIELDS,
    setError,
  });

  function save(version: number, values: ReportSettingValues) {
    const reportSetting = reportSettingInput(values);
    return attempt({
      key: { id },
      version,
      send: () => execute({ input: { id, version, reportSetting } }),
      onSaved: async () => {
        toast.success(t('edit.done', { name: reportSetting.name }));
        await navigate(routes.reportSettings());
      },
    });
  }

  return { ...saving, save };
}

/** Makes the report setting and goes back to the list. */
function useNewReportSetting(setError: UseFormSetError<ReportSettingValues>) {
  const { t } = useTranslation('report-settings');
  const navigate = useNavigate();
  const [, execute] = useMutation(createReportSettingMutation);
  const creationId = useEventId();
  const [failure, setFailure] = useState<AppError>();
  // A second press may come before the page is gone.
  const isMade = useRef(false);

  async function save(values: ReportSettingValues) {
    if (isMade.current) return;
    setFailure(undefined);
    const reportSetting = reportSettingInput(values);
    const { data, error } = await execute({
      input: { reportSetting, creationId: creationId(reportSetting) },
    });
    if (data) {
      isMade.current = true;
      toast.success(t('new.done', { name: data.createReportSetting.name }));
      await navigate(routes.reportSettings());
      return;
    }
    const failed = normalizeError(error);
    setFailure(failed);
    showFieldErrors(failed, REPORT_SETTING_FIELDS, setError);
  }

  return { failure, save };
}

export default function ReportSettingPage() {
  const { t } = useTranslation('report-settings');
  const { id } = useRouteParams('reportSetting');
  return (
    <PageFrame>
      {id === NEW_ID ? (
        <>
          <h2 className="mb-4 flex min-h-8 items-center text-xl font-semibold">
            {t('new.title')}
          </h2>
          <NewReportSettingForm />
        </>
      ) : (
        <SavedReportSetting key={id} id={id} />
      )}
    </PageFrame>
  );
}

function SavedReportSetting({ id }: { id: string }) {
  const { t } = useTranslation('report-settings');
  const navigate = useNavigate();
  const result = useReportSetting(id);
  const [isDeleting, setDeleting] = useState(false);
  return (
    <RecordState
      result={result}
      loading={<ReportSettingSkeleton />}
      notFound={{
        title: t('notFound.title'),
        text: t('notFound.text'),
        action: t('notFound.action'),
        to: routes.reportSettings(),
      }}
    >
      {(setting) => (
        <>
          <div className="mb-4 flex min-h-8 max-w-[720px] flex-wrap items-center gap-x-3 gap-y-2">
            <h2 dir="auto" className="text-xl font-semibold wrap-anywhere">{setting.name}</h2>
            <StatusChip
              kind="reportSetting"
              status={setting.isActive ? 'active' : 'off'}
              size={24}
            />
            <Button
              variant="danger"
              icon={Trash2}
              className="ms-auto"
              onClick={() => setDeleting(true)}
            >
              {t('delete.verb')}
            </Button>
          </div>
          <EditReportSettingForm setting={setting} onReload={result.retry} />
          {isDeleting && (
            <DeleteReportSettingDialog
              setting={setting}
              onDeleted={() => void navigate(routes.reportSettings())}
              onClose={() => setDeleting(false)}
            />
          )}
        </>
      )}
    </RecordState>
  );
}

interface EditReportSettingFormProps {
  setting: ReportSetting;
  /** Reads the report setting anew. */
  onReload: () => void;
}

function EditReportSettingForm({ setting, onReload }: EditReportSettingFormProps) {
  const form = useForm({ defaultValues: reportSettingValues(setting) });
  const { failure, conflict, save, forget } = useSaveReportSetting(setting.id, form.setError);
  const labels = useReportSettingLabels();
  const [base] = useBase(setting, form, reportSettingValues);

  return (
    <PageForm
      form={form}
      labels={labels}
      failure={failure}
      conflict={conflict}
      onReload={() => {
        forget();
        onReload();
      }}
      onSubmit={(values) => save(base.version, values)}
      cancelTo={routes.reportSettings()}
      className="max-w-[720px]"
    >
      <ReportSettingFields form={form} />
    </PageForm>
  );
}

function NewReportSettingForm() {
  const { t } = useTranslation('report-settings');
  const form = useForm({ defaultValues: NEW_REPORT_SETTING });
  const { failure, save } = useNewReportSetting(form.setError);
  const labels = useReportSettingLabels();
  return (
    <PageForm
      form={form}
      labels={labels}
      failure={failure}
      create={{ label: t('new.create'), busyLabel: t('new.creating') }}
      onSubmit={save}
      cancelTo={routes.reportSettings()}
      className="max-w-[720px]"
    >
      <ReportSettingFields form={form} />
    </PageForm>
  );
}

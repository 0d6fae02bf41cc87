import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { EditForm } from '@/form/record-form';
import { useConfirm } from '@/form/use-confirm';
import { RecordLink, useRecordNavigate } from '@/list/record-link';
import { routes, useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { ConfirmDialog } from '@/ui/dialog';
import { StatusChip } from '@/ui/status-chip';
import { toast } from '@/ui/toast';
import { type Source, sourceVersionQuery, updateSourceMutation } from './queries';
import { SourceState, sourceStatus, useSource } from './source';
import { sourceForm } from './source';

export default function EditSourcePage() {
  const { sourceId } = useRouteParams('editSource');
  const result = useSource(sourceId);
  return (
    <PageFrame>
      <SourceState result={result}>
        {(source) => (
          <>
            <div className="mb-4 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
              <h2 dir="auto" className="text-xl font-semibold wrap-anywhere">
                <RecordLink to={routes.viewSource({ sourceId })} className="hover:underline">
                  {source.name}
                </RecordLink>
              </h2>
              <StatusChip kind="source" status={sourceStatus(source)} size={24} />
            </div>
            <EditSourceForm key={source.id} source={source} onReload={result.retry} />
          </>
        )}
      </SourceState>
    </PageFrame>
  );
}

interface EditSourceFormProps {
  source: Source;
  /** Reloads the source. */
  onReload: () => void;
}

function EditSourceForm({ source, onReload }: EditSourceFormProps) {
  const { t } = useTranslation(['sources', 'form']);
  const navigate = useRecordNavigate();
  const [, execute] = useMutation(updateSourceMutation);
  const question = useConfirm();
  const { id } = source;
  return (
    <>
      <EditForm
        definition={sourceForm}
        record={source}
        versionQuery={sourceVersionQuery}
        recordKey={{ id }}
        confirm={async (values, base) => !base.isActive || values.isActive || question.confirm()}
        save={(input, { version }) => execute({ input: { ...input, id, version } })}
        onSaved={(_, { name }) => {
          toast.success(t('edit.done', { name }));
          return () => navigate(routes.viewSource({ sourceId: id }));
        }}
        onReload={onReload}
        cancelTo={routes.viewSource({ sourceId: id })}
      />
      {question.isOpen && (
        <ConfirmDialog
          danger
          title={t('disable.question', { name: source.name })}
          text={t('disable.text')}
          confirm={t('disable.confirm')}
          busy={t('saving', { ns: 'form' })}
          onConfirm={() => {
            question.answer(true);
            return Promise.resolve(undefined);
          }}
          onClose={() => question.answer(false)}
        />
      )}
    </>
  );
}

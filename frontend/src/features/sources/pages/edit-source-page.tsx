import { Link } from 'react-router';
import { useRouteParams } from '@/routing/route-params';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { StatusChip } from '@/ui/status-chip';
import { EditSourceForm } from '../components/edit-source-form';
import { SourceState } from '../components/source-state';
import { sourceStatus } from '../status';
import { useSource } from '../use-source';

export default function EditSourcePage() {
  const { sourceId } = useRouteParams('editSource');
  const result = useSource(sourceId);
  return (
    <PageFrame>
      <SourceState result={result}>
        {(source) => (
          <>
            <div className="mb-4 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
              <h2 className="text-xl font-semibold wrap-anywhere">
                <Link to={routes.viewSource({ sourceId })} className="hover:underline">
                  {source.name}
                </Link>
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

import { useRouteParams } from '@/routing/route-params';
import { routes } from '@/routing/routes';
import { SettingView } from '../components/setting-view';
import { SYSTEM_SETTINGS } from '../names';

export default function SystemSettingPage() {
  const { settingsId } = useRouteParams('systemSetting');
  return (
    <SettingView
      key={settingsId}
      forPlanners
      id={settingsId}
      list={{ name: SYSTEM_SETTINGS, address: routes.systemSettings() }}
    />
  );
}

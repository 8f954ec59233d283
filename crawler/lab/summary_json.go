package lab

import "encoding/json"

// An interval is the two ends of a 95 % interval.
type interval = [2]float64

// MarshalJSON writes the areas with their intervals, all other figures as means,
// and the intervals of those below ci95, under the same names. A figure that no
// run has is null.
func (s *StrategySummary) MarshalJSON() ([]byte, error) {
	means, intervals := map[string]any{}, map[string]any{}
	put := func(name string, f *Figure) {
		if f == nil {
			means[name] = nil
			return
		}
		means[name], intervals[name] = f.Mean, interval(f.CI95)
	}
	for name, byBudget := range map[string]map[string]Figure{"recall_at": s.RecallAt, "found_at": s.FoundAt, "events_at": s.EventsAt} {
		m, ci := map[string]float64{}, map[string]interval{}
		for at, f := range byBudget {
			m[at], ci[at] = f.Mean, f.CI95
		}
		means[name], intervals[name] = m, ci
	}
	for name, f := range map[string]*Figure{
		"first_hit": s.FirstHit, "tenth_hit": s.TenthHit, "hosts": &s.Hosts, "target_hosts": &s.TargetHosts, "events": &s.Events,
		"oracle_share": s.OracleShare, "backlink_calls": &s.BacklinkCalls, "backlink_cost": &s.BacklinkCost,
		"backlink_cost_per_event": &s.CostPerEvent, "pages_per_target": &s.PagesPerTarget,
	} {
		put(name, f)
	}
	means["runs"], means["politeness_violations"] = s.Runs, s.PolitenessViolations
	means["harvest_auc"], means["harvest_auc_1000"] = s.HarvestAUC, s.HarvestAUC1000
	means["ci95"] = intervals
	return json.Marshal(means) // in order of name
}

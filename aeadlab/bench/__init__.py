"""From cases to samples: profiles, plans, worker processes and the journal."""

rule "x"(function() return rng() end)
